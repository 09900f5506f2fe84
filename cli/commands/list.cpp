// Every table here is made from the registry, the references or the type table: nothing is listed by hand.
#include "../../kernels/machine/device.hpp"
#include "../../kernels/registry.hpp"
#include "../../reference/reference.hpp"
#include "../report/table.hpp"
#include "../text.hpp"
#include "commands.hpp"

#include <algorithm>
#include <array>

namespace rung::cli {
namespace {

/// One row for a rung, whichever machines of this build run it.
Table kernel_table(bool markdown) {
  Table table({{"family"}, {"kernel"}, {"aliases"}, {"machines"}, {"flags"}, {"algorithm"}});
  std::vector<const KernelInfo*> seen;
  for (const Kernel* kernel : kernels()) {
    const KernelInfo& info = kernel->info();
    const auto same = [&](const KernelInfo* other) { return other->family == info.family && other->name == info.name; };
    if (std::any_of(seen.begin(), seen.end(), same)) continue;
    seen.push_back(&info);
    std::vector<std::string> machines, aliases, flags;
    for (const Kernel* other : kernels())
      if (same(&other->info())) machines.emplace_back(name_of(other->machine()));
    // A rung of the CUDA kind runs on gpu in every build that has CUDA: the page must not depend on who made it.
    if (markdown && machines == std::vector<std::string>{"sim"}) machines = {"gpu", "sim"};
    for (const auto& alias : info.aliases)
      if (!alias.empty()) aliases.emplace_back(alias);
    if (info.ladder) flags.emplace_back("ladder");
    if (info.atomic_order) flags.emplace_back("atomic-order");
    const std::string name(info.name);
    table.add({std::string(name_of(info.family)), markdown ? "`" + name + "`" : name, join(aliases, ", "),
               join(machines, ", "), join(flags, ", "), std::string(info.summary)});
  }
  return table;
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

Table reference_table(bool) {
  Table table({{"machine"}, {"reference"}, {"version"}, {"for"}, {"call"}, {"dtypes"}});
  for (const Machine machine : {Machine::gpu, Machine::cpu})
    for (const Reference* reference : references(machine))
      for (const auto& [problem, call, dtypes] : calls_of(*reference))
        table.add({std::string(name_of(machine)), reference->name(), reference->version(), problem, call,
                   dtypes.size() == dtype_count ? "all" : join(dtypes, " ")});
  return table;
}

std::string device_text(const DeviceProperties& p) {
  std::string text = p.name;
  if (p.memory_bytes != 0) text += ", " + bytes_text(p.memory_bytes);
  if (p.theoretical_bandwidth > 0) text += ", " + significant(p.theoretical_bandwidth / 1e9, 4) + " GB/s";
  return text;
}

Table machine_table(bool) {
  Table table({{"machine"}, {"device"}});
  std::string why;
  const int gpus = gpu_count(&why);
  for (int i = 0; i < gpus; ++i)
    table.add({"gpu:" + std::to_string(i), device_text(open_device(Machine::gpu, i)->properties())});
  if (gpus == 0) table.add({"gpu", "none: " + why});
  for (const Machine machine : {Machine::cpu, Machine::sim})
    table.add({std::string(name_of(machine)), device_text(open_device(machine)->properties())});
  return table;
}

Table dtype_listing(bool) {
  static constexpr std::array<std::string_view, 5> kinds{"boolean", "signed integer", "unsigned integer", "float",
                                                         "complex"};
  Table table({{"dtype"}, {"bytes", true}, {"kind"}, {"sum, prod"}, {"mean"}, {"min, max"}, {"argmin, argmax"}});
  for (const auto& row : dtype_table) {
    const auto result = [&](Op op) { return std::string(name_of(result_dtype(op, row.dtype))); };
    const bool ordered = row.kind != Kind::complex;
    table.add({std::string(row.name), std::to_string(row.size), std::string(kinds[static_cast<std::size_t>(row.kind)]),
               result(Op::sum), result(Op::mean), ordered ? result(Op::max) : "-", ordered ? result(Op::argmax) : "-"});
  }
  return table;
}

Table format_table(bool) {
  Table table({{"format"}, {"reads"}, {"writes"}});
  table.add({std::string(io::name_of(io::Format::npy)), "versions 1 to 3, C and Fortran order, both byte orders",
             "C order, little-endian; every dtype but bf16"});
  table.add({std::string(io::name_of(io::Format::raw)), "bytes, as --dtype, --shape, --offset and --endian say",
             "C order, little-endian; every dtype"});
  table.add({std::string(io::name_of(io::Format::csv)),
             "numbers in rows, as --delimiter, --header, --columns and --missing say",
             "one value a line, or rows; at most two dimensions, no complex"});
  return table;
}

}  // namespace

int list_command(const ListOptions& o) {
  using Make = Table (*)(bool);
  static constexpr std::array<Make, 5> makers{kernel_table, reference_table, machine_table, dtype_listing,
                                              format_table};
  const Table table = makers[static_cast<std::size_t>(o.what)](o.markdown);
  write_stdout(o.markdown ? table.markdown() : table.text());
  return 0;
}

}  // namespace rung::cli
