// Every table here is made from the registry, the references or the type table: nothing is listed by hand.
#include "../../kernels/machine/device.hpp"
#include "../../kernels/monoid.hpp"
#include "../../kernels/registry.hpp"
#include "../../reference/reference.hpp"
#include "../names.hpp"
#include "../report/table.hpp"
#include "../text.hpp"
#include "commands.hpp"

#include <algorithm>
#include <array>

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

Table kernel_table(const ListOptions& o) {
  const bool teaches = o.teaches || names_kernels(o.names);
  std::vector<Column> columns{{"family"}, {"kernel"}, {"aliases"}, {"machines"}, {"flags"}, {"algorithm"}};
  if (teaches) columns.push_back({"teaches"});
  Table table(std::move(columns));
  for (const Kernel* kernel : rungs_of(o.names)) {
    const KernelInfo& info = kernel->info();
    std::vector<std::string> machines, aliases, flags;
    for (const Kernel* other : kernels())
      if (same_rung(*other, *kernel)) machines.emplace_back(name_of(other->machine()));
    // A rung of the CUDA kind runs on gpu in every build that has CUDA: the page must not depend on who made it.
    if (o.markdown && machines == std::vector<std::string>{"sim"}) machines = {"gpu", "sim"};
    for (const auto& alias : info.aliases)
      if (!alias.empty()) aliases.emplace_back(alias);
    if (info.ladder) flags.emplace_back("ladder");
    if (info.atomic_order) flags.emplace_back("atomic-order");
    const std::string name(info.name);
    std::vector<std::string> cells{std::string(name_of(info.family)),
                                   o.markdown ? "`" + name + "`" : name,
                                   join(aliases, ", "),
                                   join(machines, ", "),
                                   join(flags, ", "),
                                   std::string(info.summary)};
    if (teaches) cells.emplace_back(info.teaches);
    table.add(std::move(cells));
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

Table reference_table(const ListOptions&) {
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
  if (p.theoretical_bandwidth > 0) text += ", " + plain(p.theoretical_bandwidth / 1e9, 4) + " GB/s";
  return text;
}

Table machine_table(const ListOptions&) {
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

/// What a sum or product is added up in before it becomes its result.
std::string accumulator_of_sum(DType dtype, Acc acc) {
  std::string name;
  for_each_monoid([&]<class M>(Op op, DType d, Acc a) {
    if constexpr (M::operation == Op::sum)
      if (op == Op::sum && d == dtype && a == acc) name = name_of(dtype_of<typename M::Accumulator>);
  });
  return name;
}

Table dtype_listing(const ListOptions&) {
  static constexpr std::array<std::string_view, 5> kinds{"boolean", "signed integer", "unsigned integer", "float",
                                                         "complex"};
  Table table({{"dtype"},
               {"bytes", true},
               {"kind"},
               {"sum, prod"},
               {"acc wide"},
               {"acc same"},
               {"mean"},
               {"min, max"},
               {"argmin, argmax"}});
  for (const auto& row : dtype_table) {
    const auto result = [&](Op op) { return std::string(name_of(result_dtype(op, row.dtype))); };
    const bool ordered = row.kind != Kind::complex;
    table.add({std::string(row.name), std::to_string(row.size), std::string(kinds[static_cast<std::size_t>(row.kind)]),
               result(Op::sum), accumulator_of_sum(row.dtype, Acc::wide), accumulator_of_sum(row.dtype, Acc::same),
               result(Op::mean), ordered ? result(Op::max) : "-", ordered ? result(Op::argmax) : "-"});
  }
  return table;
}

Table format_table(const ListOptions&) {
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
  using Make = Table (*)(const ListOptions&);
  static constexpr std::array<Make, 5> makers{kernel_table, reference_table, machine_table, dtype_listing,
                                              format_table};
  const Table table = makers[static_cast<std::size_t>(o.what)](o);
  write_stdout(o.markdown ? table.markdown() : table.text());
  return 0;
}

}  // namespace rung::cli
