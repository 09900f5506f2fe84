// Every table here is made from the registry, the references or the type table: nothing is listed by hand.
#include "../../kernels/machine/device.hpp"
#include "../../kernels/monoid.hpp"
#include "../../kernels/registry.hpp"
#include "../../reference/reference.hpp"
#include "../names.hpp"
#include "../report/json.hpp"
#include "../report/table.hpp"
#include "../text.hpp"
#include "commands.hpp"
#include "json_file.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace rung::cli {
namespace {

bool same_rung(const Kernel& a, const Kernel& b) {
  return a.info().family == b.info().family && a.info().name == b.info().name;
}

/// One kernel of each rung, whichever machines of this build run it.
std::vector<const Kernel*> rungs() {
  std::vector<const Kernel*> seen;
  for (const Kernel* kernel : kernels())
    if (std::none_of(seen.begin(), seen.end(), [&](const Kernel* other) { return same_rung(*other, *kernel); }))
      seen.push_back(kernel);
  return seen;
}

bool has_name(const KernelInfo& info, const std::string& name) {
  return !name.empty() &&
         (name == info.name || std::find(info.aliases.begin(), info.aliases.end(), name) != info.aliases.end());
}

/// The rungs of these families or names, each once, in their order; all of no names. Throws UsageError for a name that
/// no rung has.
std::vector<const Kernel*> rungs_of(const std::vector<std::string>& names) {
  const auto all = rungs();
  if (names.empty()) return all;
  const auto asked = [](const KernelInfo& info, const std::string& name) {
    return name == name_of(info.family) || has_name(info, name);
  };
  std::vector<std::string> valid = strings(family_names);
  for (const Kernel* kernel : all) {
    const std::string name(kernel->info().name);
    if (std::find(valid.begin(), valid.end(), name) == valid.end()) valid.push_back(name);
  }
  for (const auto& name : names)
    if (std::none_of(all.begin(), all.end(), [&](const Kernel* k) { return asked(k->info(), name); }))
      throw unknown_name("family or kernel", name, valid);
  std::vector<const Kernel*> chosen;
  for (const Kernel* kernel : all)
    if (std::any_of(names.begin(), names.end(), [&](const std::string& name) { return asked(kernel->info(), name); }))
      chosen.push_back(kernel);
  return chosen;
}

/// Where only kernels are named, and no family, there are few of them: what they teach has room.
bool names_kernels(const std::vector<std::string>& names) {
  const auto is_family = [](const std::string& name) {
    return std::find(family_names.begin(), family_names.end(), name) != family_names.end();
  };
  return !names.empty() && std::none_of(names.begin(), names.end(), is_family);
}

/// A column of a listing's table: of the field `key`, or what `cell` makes of the row.
struct Shown {
  Column column;
  const char* key;
  std::function<std::string(const Json&)> cell = {};
};

/// What JSON has as the fields of objects, and people as a table.
struct Content {
  Json rows = Json::array();
  std::vector<Shown> columns;
};

std::string cell_text(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  return value.is_array() ? join(value.get<std::vector<std::string>>(), ", ") : value.dump();
}

Table table_of(const Content& content) {
  std::vector<Column> columns;
  for (const Shown& shown : content.columns) columns.push_back(shown.column);
  Table table(std::move(columns));
  for (const Json& row : content.rows) {
    std::vector<std::string> cells;
    for (const Shown& shown : content.columns)
      cells.push_back(shown.cell ? shown.cell(row) : cell_text(row.at(shown.key)));
    table.add(std::move(cells));
  }
  return table;
}

Json kernel_row(const Kernel& kernel) {
  const KernelInfo& info = kernel.info();
  std::vector<std::string> machines, aliases, flags;
  for (const Kernel* other : kernels())
    if (same_rung(*other, kernel)) machines.emplace_back(name_of(other->machine()));
  for (const auto& alias : info.aliases)
    if (!alias.empty()) aliases.emplace_back(alias);
  if (info.ladder) flags.emplace_back("ladder");
  if (info.atomic_order) flags.emplace_back("atomic-order");
  return {{"family", name_of(info.family)}, {"kernel", info.name}, {"aliases", aliases},
          {"machines", machines},           {"flags", flags},      {"algorithm", info.summary},
          {"teaches", info.teaches}};
}

/// A rung of the CUDA kind runs on gpu in every build that has CUDA: the page must not depend on who made it.
std::string machines_on_the_page(const Json& row) {
  const Json& machines = row.at("machines");
  return machines == Json{"sim"} ? "gpu, sim" : cell_text(machines);
}

std::string as_code(const Json& row) { return "`" + cell_text(row.at("kernel")) + "`"; }

Content kernel_content(const ListOptions& o) {
  Content content;
  for (const Kernel* kernel : rungs_of(o.names)) content.rows.push_back(kernel_row(*kernel));
  content.columns = {{{"family"}, "family"},     {{"kernel"}, "kernel"}, {{"aliases"}, "aliases"},
                     {{"machines"}, "machines"}, {{"flags"}, "flags"},   {{"algorithm"}, "algorithm"}};
  if (o.teaches || names_kernels(o.names)) content.columns.push_back({{"teaches"}, "teaches"});
  if (o.markdown) {
    content.columns[1].cell = as_code;
    content.columns[3].cell = machines_on_the_page;
  }
  return content;
}

/// A small problem of each kind, for asking a reference which call it would make.
std::vector<std::pair<std::string, Problem>> sample_problems(DType dtype) {
  std::vector<std::pair<std::string, Problem>> samples;
  const bool ordered = info(dtype).kind != Kind::complex;
  for (std::size_t i = 0; i < op_names.size(); ++i) {
    const auto op = static_cast<Op>(i);
    if (!ordered && op != Op::sum && op != Op::prod && op != Op::mean) continue;
    samples.emplace_back("reduce " + std::string(op_names[i]), reduce_problem(dtype, {64}, {}, op, Acc::wide));
    samples.emplace_back("reduce " + std::string(op_names[i]) + " --axis -1",
                         reduce_problem(dtype, {8, 8}, {1}, op, Acc::wide));
  }
  samples.emplace_back("transpose", transpose_problem(dtype, {8, 8}, {1, 0}));
  samples.emplace_back("reverse", reverse_problem(dtype, {64}, {}));
  return samples;
}

struct Call {
  std::string problem, call;
  std::vector<std::string> dtypes;
};

std::vector<Call> calls_of(const Reference& reference) {
  std::vector<Call> calls;
  for (const auto& row : dtype_table)
    for (const auto& [problem, sample] : sample_problems(row.dtype)) {
      const std::string call = reference.call(sample);
      if (call.empty()) continue;
      const auto same = [&](const Call& other) { return other.problem == problem && other.call == call; };
      auto found = std::find_if(calls.begin(), calls.end(), same);
      if (found == calls.end()) found = calls.insert(calls.end(), {problem, call, {}});
      found->dtypes.emplace_back(row.name);
    }
  return calls;
}

std::string dtypes_text(const Json& row) {
  const auto dtypes = row.at("dtypes").get<std::vector<std::string>>();
  return dtypes.size() == dtype_count ? "all" : join(dtypes, " ");
}

Content reference_content(const ListOptions&) {
  Content content;
  content.columns = {{{"machine"}, "machine"}, {{"reference"}, "reference"}, {{"version"}, "version"},
                     {{"for"}, "for"},         {{"call"}, "call"},           {{"dtypes"}, "dtypes", dtypes_text}};
  for (const Machine machine : {Machine::gpu, Machine::cpu})
    for (const Reference* reference : references(machine))
      for (const auto& [problem, call, dtypes] : calls_of(*reference))
        content.rows.push_back({{"machine", name_of(machine)},
                                {"reference", reference->name()},
                                {"version", reference->version()},
                                {"for", problem},
                                {"call", call},
                                {"dtypes", dtypes}});
  return content;
}

/// 0 stands for what is not known.
Json machine_row(const std::string& machine, const DeviceProperties& p) {
  return {{"machine", machine},
          {"device", p.name},
          {"memory_bytes", p.memory_bytes != 0 ? Json(p.memory_bytes) : Json(nullptr)},
          {"bytes_per_second", p.theoretical_bandwidth > 0 ? Json(p.theoretical_bandwidth) : Json(nullptr)},
          {"missing", nullptr}};
}

Json missing_machine(const std::string& machine, const std::string& why) {
  return {{"machine", machine},
          {"device", nullptr},
          {"memory_bytes", nullptr},
          {"bytes_per_second", nullptr},
          {"missing", why}};
}

std::string device_text(const Json& row) {
  if (row.at("device").is_null()) return "none: " + cell_text(row.at("missing"));
  std::string text = cell_text(row.at("device"));
  if (const Json& bytes = row.at("memory_bytes"); !bytes.is_null())
    text += ", " + bytes_text(bytes.get<std::uint64_t>());
  if (const Json& bandwidth = row.at("bytes_per_second"); !bandwidth.is_null())
    text += ", " + plain(bandwidth.get<double>() / 1e9, 4) + " GB/s";
  return text;
}

Content machine_content(const ListOptions&) {
  Content content;
  content.columns = {{{"machine"}, "machine"}, {{"device"}, "device", device_text}};
  std::string why;
  const int gpus = gpu_count(&why);
  for (int i = 0; i < gpus; ++i)
    content.rows.push_back(machine_row("gpu:" + std::to_string(i), open_device(Machine::gpu, i)->properties()));
  if (gpus == 0) content.rows.push_back(missing_machine("gpu", why));
  for (const Machine machine : {Machine::cpu, Machine::sim})
    content.rows.push_back(machine_row(std::string(name_of(machine)), open_device(machine)->properties()));
  return content;
}

/// What a sum or product is added up in before it becomes its result.
std::string accumulator_of_sum(DType dtype, Acc acc) {
  std::string name;
  for_each_monoid([&]<class M>(Op op, DType d, Acc a) {
    if constexpr (M::operation == Op::sum)
      if (op == Op::sum && d == dtype && a == acc) name = name_of(dtype_of<typename M::Accumulator>);
  });
  return name;
}

Content dtype_content(const ListOptions&) {
  static constexpr std::array<std::string_view, 5> kinds{"boolean", "signed integer", "unsigned integer", "float",
                                                         "complex"};
  Content content;
  content.columns = {{{"dtype"}, "dtype"},   {{"bytes", true}, "bytes"}, {{"kind"}, "kind"},
                     {{"sum, prod"}, "sum"}, {{"acc wide"}, "acc_wide"}, {{"acc same"}, "acc_same"},
                     {{"mean"}, "mean"},     {{"min, max"}, "max"},      {{"argmin, argmax"}, "argmax"}};
  for (const auto& row : dtype_table) {
    const auto result = [&](Op op) { return Json(name_of(result_dtype(op, row.dtype))); };
    const bool ordered = row.kind != Kind::complex;
    content.rows.push_back({{"dtype", row.name},
                            {"bytes", row.size},
                            {"kind", kinds[static_cast<std::size_t>(row.kind)]},
                            {"sum", result(Op::sum)},
                            {"acc_wide", accumulator_of_sum(row.dtype, Acc::wide)},
                            {"acc_same", accumulator_of_sum(row.dtype, Acc::same)},
                            {"mean", result(Op::mean)},
                            {"max", ordered ? result(Op::max) : Json(nullptr)},
                            {"argmax", ordered ? result(Op::argmax) : Json(nullptr)}});
  }
  return content;
}

Content format_content(const ListOptions&) {
  Content content;
  content.columns = {{{"format"}, "format"}, {{"reads"}, "reads"}, {{"writes"}, "writes"}};
  const auto add = [&](io::Format format, const char* reads, const char* writes) {
    content.rows.push_back({{"format", io::name_of(format)}, {"reads", reads}, {"writes", writes}});
  };
  add(io::Format::npy, "versions 1 to 3, C and Fortran order, both byte orders",
      "C order, little-endian; every dtype but bf16");
  add(io::Format::raw, "bytes, as --dtype, --shape, --offset and --endian say", "C order, little-endian; every dtype");
  add(io::Format::csv, "numbers in rows, as --delimiter, --header, --columns and --missing say",
      "one value a line, or rows; at most two dimensions, no complex");
  return content;
}

}  // namespace

int list_command(const ListOptions& o, const std::vector<std::string>& args) {
  using Make = Content (*)(const ListOptions&);
  static constexpr std::array<Make, 5> makers{kernel_content, reference_content, machine_content, dtype_content,
                                              format_content};
  JsonFile json(o.json, {}, true);
  const auto what = static_cast<std::size_t>(o.what);
  const Content content = makers[what](o);
  const Table table = table_of(content);
  json.tell(o.markdown ? table.markdown() : table.text());
  if (json.asked())
    json.write(json_text({{"schema", "rung-list-1"},
                          {"environment", json_object(read_environment(args))},
                          {"listing", listing_names[what]},
                          {"rows", content.rows}}));
  return 0;
}

}  // namespace rung::cli
