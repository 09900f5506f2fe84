#include "options.hpp"

#include "text.hpp"

namespace rung::cli {
namespace {

/// Words of a command line, each option as --name=value: a value may then start with a dash.
class Words {
 public:
  void flag(const char* name, bool given) {
    if (given) words_.push_back(std::string("--") + name);
  }
  void value(const char* name, const std::string& text) { words_.push_back(std::string("--") + name + "=" + text); }
  void value(const char* name, const std::optional<std::string>& text) {
    if (text) value(name, *text);
  }
  void count(const char* name, std::size_t number) {
    if (number != 0) value(name, std::to_string(number));
  }
  void word(std::string text) { words_.push_back(std::move(text)); }
  std::vector<std::string> take() { return std::move(words_); }

 private:
  std::vector<std::string> words_;
};

std::string device_text(const DeviceWish& wish) {
  if (!wish.machine) return "auto";
  const std::string name(name_of(*wish.machine));
  return wish.ordinal == 0 ? name : name + ":" + std::to_string(wish.ordinal);
}

void add_input(Words& w, const io::ReadOptions& o) {
  if (o.from) w.value("from", std::string(io::name_of(*o.from)));
  if (o.dtype) w.value("dtype", std::string(name_of(*o.dtype)));
  if (o.shape) w.value("shape", to_string(*o.shape));
  w.count("offset", o.offset);
  if (o.endian == io::Endian::big) w.value("endian", std::string("big"));
  w.value("delimiter", o.delimiter);
  if (o.header) w.value("header", std::string(*o.header ? "yes" : "no"));
  w.value("columns", o.columns);
  if (o.missing_nan) w.value("missing", std::string("nan"));
}

void add_axes(Words& w, const RunOptions& o) {
  std::vector<std::string> axes;
  for (const std::ptrdiff_t axis : o.axes) axes.push_back(std::to_string(axis));
  if (!axes.empty()) w.value(o.family == Family::transpose ? "axes" : "axis", join(axes, ","));
}

}  // namespace

std::vector<std::string> words_of(const RunOptions& o) {
  Words w;
  w.word(std::string(name_of(o.family)));
  if (o.family == Family::reduce) {
    w.value("op", std::string(name_of(o.op)));
    w.value("acc", std::string(name_of(o.acc)));
    w.flag("keepdims", o.keepdims);
  }
  add_axes(w, o);
  w.value("kernel", join(o.kernels, ","));
  w.value("device", device_text(o.device));
  w.count("block", o.launch.block);
  w.count("grid", o.launch.grid);
  w.count("items", o.launch.items);
  add_input(w, o.read);
  if (o.to) w.value("to", std::string(io::name_of(*o.to)));
  if (o.output != "-") w.value("output", o.output);
  w.flag("check", o.check);
  w.flag("time", o.time);
  for (const auto& [name, path] :
       {std::pair("json", &o.json), std::pair("csv", &o.csv), std::pair("markdown", &o.markdown)})
    if (!path->empty()) w.value(name, *path);
  w.word("--");
  for (const auto& file : o.files) w.word(file);
  return w.take();
}

}  // namespace rung::cli
