// CSV and Markdown.
#include "../text.hpp"

#include "../report/fields.hpp"
#include "../report/table.hpp"
#include "report.hpp"

#include <array>
#include <utility>

namespace rung::cli {
namespace {

const Ratio* over(const BenchRow& row, const std::string& name) {
  for (const Speedup& s : row.speedups)
    if (s.over == name) return &s.ratio;
  return nullptr;
}

std::vector<const BenchPoint*> all_points(const BenchReport& report) {
  std::vector<const BenchPoint*> points;
  for (const auto& point : report.points) points.push_back(&point);
  return points;
}

std::vector<std::string> point_cells(const BenchPoint& p) {
  return {p.input,
          std::string(name_of(p.family)),
          p.operation,
          std::string(name_of(p.dtype)),
          to_string(p.shape),
          p.acc ? std::string(name_of(*p.acc)) : "",
          std::to_string(p.launch.block),
          std::to_string(p.launch.grid),
          std::to_string(p.launch.items),
          std::string(name_of(p.machine)),
          p.device,
          std::string(p.mode_name()),
          csv_number(p.logical_bytes),
          csv_number(p.theoretical),
          csv_number(p.ceiling),
          csv_number(p.floor())};
}

std::vector<std::string> row_cells(const BenchPoint& p, const BenchRow& row) {
  std::vector<std::string> cells{std::string(name_of(row.role)), row.name, row.version,
                                 std::string(name_of(row.verdict))};
  const auto value = [&](double Summary::*member) {
    cells.push_back(row.seconds ? csv_number((*row.seconds).*member) : "");
  };
  cells.push_back(row.seconds ? std::to_string(row.seconds->n) : "");
  for (auto member : {&Summary::min, &Summary::lower, &Summary::median, &Summary::upper, &Summary::mad}) value(member);
  cells.push_back(row.seconds ? csv_number(row.seconds->interval.low) : "");
  cells.push_back(row.seconds ? csv_number(row.seconds->interval.high) : "");
  cells.push_back(csv_number(p.bandwidth(row)));
  cells.push_back(std::to_string(row.runs_a_sample));
  cells.push_back(std::to_string(row.dropped));
  cells.push_back(row.stopped);
  cells.push_back(csv_number(row.megahertz));
  cells.push_back(row.suspect ? "suspect" : "");
  cells.push_back(row.launch);
  cells.push_back(row.note);
  cells.push_back(p.traffic ? csv_number(p.traffic->read) : "");
  cells.push_back(p.traffic ? csv_number(p.traffic->written) : "");
  return cells;
}

std::string percent(double share) { return plain(share * 100, 3) + " %"; }

/// "1.08 [1.07, 1.09]", and "no difference" where that contains 1.
std::string ratio_text(const Ratio& r) {
  if (r.n < 2) return plain(r.median, 4);
  const std::string text =
      plain(r.median, 4) + " [" + plain(r.interval.low, 4) + ", " + plain(r.interval.high, 4) + "]";
  return r.no_difference() ? text + " no difference" : text;
}

/// What stands in place of a time.
std::string unmeasured(const BenchRow& row) {
  if (row.role == Role::reference && row.verdict == RowVerdict::fail) return reference_differs;
  return std::string(name_of(row.verdict));
}

std::string markdown_table(const std::vector<const BenchPoint*>& points) {
  const auto references = reference_columns(points);
  bool ladder = false, writes = false;
  const bool whole = points.front()->file.has_value();
  for (const BenchPoint* point : points)
    for (const BenchRow& row : point->rows) {
      ladder = ladder || row.previous.has_value();
      writes = writes || point->share_with_writes(row).has_value();
    }
  std::vector<Column> columns{{"shape"}, {"kernel"}, {"median", true}, {whole ? "GB/s of file" : "GB/s", true}};
  if (!whole) columns.insert(columns.end(), {{"of peak", true}, {"of ceiling", true}});
  if (writes) columns.push_back({"of ceiling, with writes", true});
  if (ladder) columns.push_back({"x the one before", true});
  for (const auto& name : references) columns.push_back({"x " + name, true});
  columns.push_back({"note"});
  Table table(std::move(columns));
  for (const BenchPoint* point : points)
    for (const BenchRow& row : point->rows) {
      if (row.verdict == RowVerdict::skipped) continue;
      const auto bandwidth = point->bandwidth(row);
      std::vector<std::string> cells{to_string(point->shape),
                                     row.role == Role::kernel ? "`" + row.name + "`" : row.name,
                                     row.seconds ? seconds_text(row.seconds->median) : unmeasured(row),
                                     bandwidth ? plain(*bandwidth / 1e9, 4) : ""};
      if (!whole) {
        cells.push_back(bandwidth && point->theoretical > 0 ? percent(*bandwidth / point->theoretical) : "");
        cells.push_back(bandwidth && point->ceiling ? percent(*bandwidth / *point->ceiling) : "");
      }
      if (writes) {
        const auto share = point->share_with_writes(row);
        cells.push_back(share ? percent(*share) : "");
      }
      if (ladder) cells.push_back(row.previous ? plain(row.previous->ratio.median, 3) : "");
      for (const auto& name : references) {
        const Ratio* ratio = over(row, name);
        cells.push_back(ratio ? ratio_text(*ratio) : "");
      }
      cells.push_back(std::string(row.suspect ? "SUSPECT " : "") + row.note);
      table.add(std::move(cells));
    }
  return table.markdown();
}

}  // namespace

std::string bench_csv(const BenchReport& report) {
  const auto references = reference_columns(all_points(report));
  std::string out =
      "input,family,operation,dtype,shape,accumulator,block,grid,items,machine,device,mode,logical_bytes,theoretical,"
      "ceiling,noise_floor,role,kernel,version,verdict,n,min,lower_quartile,median,upper_quartile,mad,low,high,"
      "bytes_per_second,runs_a_sample,dropped,stopped,megahertz,suspect,launch,note,bytes_read,bytes_written";
  for (const auto& name : references)
    for (const char* part : {"", " low", " high"}) out += "," + csv_field("speedup over " + name + part);
  out += ",schema";
  for (const auto& fact : report.environment) out += "," + csv_field(fact.first);
  out += '\n';
  for (const auto& point : report.points)
    for (const auto& row : point.rows) {
      auto cells = point_cells(point);
      const auto more = row_cells(point, row);
      cells.insert(cells.end(), more.begin(), more.end());
      for (const auto& name : references) {
        const Ratio* ratio = over(row, name);
        cells.push_back(ratio ? csv_number(ratio->median) : "");
        cells.push_back(ratio ? csv_number(ratio->interval.low) : "");
        cells.push_back(ratio ? csv_number(ratio->interval.high) : "");
      }
      cells.emplace_back(bench_schema);
      for (const auto& fact : report.environment) cells.push_back(fact.second);
      out += csv_line(std::move(cells));
    }
  return out;
}

std::string bench_markdown(const BenchReport& report) {
  std::string out;
  for (const auto& points : tables_of(report)) {
    out += "### " + table_heading(*points.front()) + "\n\n" + markdown_table(points) + "\n";
    double floor = 0;
    for (const BenchPoint* point : points) floor = std::max(floor, point->floor());
    out += "Noise floor " + percent(floor);
    if (points.front()->file) {
      double cached = 1;
      for (const BenchPoint* point : points) cached = std::min(cached, point->file->cached);
      out += "; " + cached_text(cached);
    }
    out += ".";
    for (const auto& name : reference_columns(points))
      for (const BenchPoint* point : points) {
        const BenchRow* found = nullptr;
        for (const BenchRow& row : point->rows)
          if (row.role == Role::reference && row.column == name) found = &row;
        if (!found) continue;
        out += " " + name + " is " + found->version + ".";
        break;
      }
    out += "\n\n";
  }
  for (const auto& [name, value] : report.environment) out += "- " + name + ": `" + value + "`\n";
  return out;
}

}  // namespace rung::cli
