// GB/s by size as SVG: lines over a logarithmic axis, or bars where there is one size.
#include "../text.hpp"

#include "report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace rung::cli {
namespace {

constexpr double width = 760, left = 64, right = 200, top = 40, plot_height = 300, bottom = 44;
constexpr std::array<const char*, 10> colours{"#1b6ca8", "#d1495b", "#3a8f5c", "#8e5ea2", "#c7861d",
                                              "#4aa3a2", "#7a4a2b", "#5b6abf", "#b5486f", "#6b7a1f"};

/// XML has no control characters, escaped or not.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : printable(text))
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return out;
}

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

std::string label(double x, double y, const std::string& text, const char* more) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" " + more + ">" + escaped(text) + "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2, const std::string& more) {
  return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) +
         "\" " + more + "/>\n";
}

struct Curve {
  std::string name;
  bool dashed = false;                            ///< not a kernel of ours
  std::vector<std::pair<double, double>> points;  ///< elements, bytes a second
};

std::vector<Curve> curves_of(const std::vector<const BenchPoint*>& points) {
  std::vector<Curve> curves;
  for (const BenchPoint* point : points)
    for (const BenchRow& row : point->rows) {
      const auto bandwidth = point->bandwidth(row);
      if (!bandwidth) continue;
      auto found = std::find_if(curves.begin(), curves.end(), [&](const Curve& c) { return c.name == row.name; });
      if (found == curves.end()) found = curves.insert(curves.end(), {row.name, row.role != Role::kernel, {}});
      found->points.emplace_back(static_cast<double>(element_count(point->shape)), *bandwidth);
    }
  for (Curve& curve : curves) std::sort(curve.points.begin(), curve.points.end());
  return curves;
}

/// A round figure at or above the most that is shown.
double round_above(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0})
    if (step * power >= value) return step * power;
  return 10 * power;
}

double most_of(const std::vector<Curve>& curves, double theoretical) {
  double most = theoretical;
  for (const Curve& curve : curves)
    for (const auto& [n, bandwidth] : curve.points) most = std::max(most, bandwidth);
  return most;
}

std::string bandwidth_grid(double y0, double most, double x_end) {
  constexpr int lines = 5;
  std::string out;
  for (int k = 0; k <= lines; ++k) {
    const double y = y0 + plot_height * (1 - static_cast<double>(k) / lines);
    out += line(left, y, x_end, y, "stroke=\"#ddd\"");
    out += label(left - 6, y + 4, plain(most * k / lines / 1e9, 4), "text-anchor=\"end\"");
  }
  return out + label(left, y0 - 6, "GB/s", "text-anchor=\"end\"");
}

std::string size_label(double n) {
  const double power = std::log2(n);
  return power == std::floor(power) ? "2^" + std::to_string(static_cast<int>(power)) : significant(n, 4);
}

std::string lines_plot(const std::vector<Curve>& curves, double theoretical, double y0) {
  const double x_end = width - right, most = round_above(most_of(curves, theoretical));
  double least_n = curves[0].points.front().first, most_n = least_n;
  for (const Curve& curve : curves)
    for (const auto& [n, bandwidth] : curve.points) {
      least_n = std::min(least_n, n);
      most_n = std::max(most_n, n);
    }
  const auto x_of = [&](double n) {
    return left + (x_end - left) * std::log2(n / least_n) / std::log2(most_n / least_n);
  };
  const auto y_of = [&](double b) { return y0 + plot_height * (1 - b / most); };
  std::string out = bandwidth_grid(y0, most, x_end);
  double last = -1e9;
  constexpr double apart = 48;
  std::vector<double> sizes;
  for (const Curve& curve : curves)
    for (const auto& [n, bandwidth] : curve.points) sizes.push_back(n);
  std::sort(sizes.begin(), sizes.end());
  for (const double n : sizes) {
    if (x_of(n) - last < apart) continue;
    last = x_of(n);
    out += label(last, y0 + plot_height + 18, size_label(n), "text-anchor=\"middle\"");
  }
  out += label((left + x_end) / 2, y0 + plot_height + 36, "elements", "text-anchor=\"middle\"");
  if (theoretical > 0)
    out += line(left, y_of(theoretical), x_end, y_of(theoretical), "stroke=\"#999\" stroke-dasharray=\"2 4\"");
  for (std::size_t k = 0; k < curves.size(); ++k) {
    const std::string colour = colours[k % colours.size()];
    const std::string stroke = "stroke=\"" + colour + "\"" + (curves[k].dashed ? " stroke-dasharray=\"6 4\"" : "");
    std::string path;
    for (const auto& [n, bandwidth] : curves[k].points) path += number(x_of(n)) + "," + number(y_of(bandwidth)) + " ";
    out += "<polyline fill=\"none\" stroke-width=\"2\" " + stroke + " points=\"" + path + "\"/>\n";
    const double y = y0 + 14 * static_cast<double>(k) + 8;
    out += line(x_end + 10, y - 4, x_end + 32, y - 4, "stroke-width=\"2\" " + stroke);
    out += label(x_end + 38, y, curves[k].name, "");
  }
  return out;
}

std::string bars_plot(const std::vector<Curve>& curves, double theoretical, double y0) {
  const double most = most_of(curves, theoretical), x0 = 200, length = width - x0 - 90;
  const double step = std::min(30.0, plot_height / static_cast<double>(curves.size()));
  std::string out;
  for (std::size_t k = 0; k < curves.size(); ++k) {
    const double bandwidth = curves[k].points.front().second, y = y0 + step * static_cast<double>(k);
    const double bar = length * bandwidth / most;
    out += label(x0 - 6, y + step * 0.6, curves[k].name, "text-anchor=\"end\"");
    out += "<rect x=\"" + number(x0) + "\" y=\"" + number(y + step * 0.1) + "\" width=\"" + number(bar) +
           "\" height=\"" + number(step * 0.75) + "\" fill=\"" + (curves[k].dashed ? "#9aa5b1" : colours[0]) + "\"/>\n";
    out += label(x0 + bar + 6, y + step * 0.6, plain(bandwidth / 1e9, 4) + " GB/s", "");
  }
  if (theoretical > 0) {
    const double x = x0 + length * theoretical / most;
    out += line(x, y0, x, y0 + step * static_cast<double>(curves.size()), "stroke=\"#999\" stroke-dasharray=\"2 4\"");
  }
  return out;
}

}  // namespace

std::string bench_svg(const BenchReport& report) {
  std::string panels;
  double y = 0;
  for (const auto& points : tables_of(report)) {
    const auto curves = curves_of(points);
    if (curves.empty()) continue;
    const bool by_size = std::any_of(curves.begin(), curves.end(),
                                     [](const Curve& c) { return c.points.back().first > c.points.front().first; });
    const BenchPoint& first = *points.front();
    panels += label(12, y + 18, by_size ? table_heading(first) : heading(first), "font-weight=\"bold\"");
    panels += by_size ? lines_plot(curves, first.theoretical, y + top) : bars_plot(curves, first.theoretical, y + top);
    y += top + plot_height + bottom;
  }
  if (panels.empty()) {
    panels = label(12, 24, "nothing to draw: no time of a device was measured", "");
    y = 40;
  }
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(width) + " " + number(y) +
         "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
         panels + "</svg>\n";
}

}  // namespace rung::cli
