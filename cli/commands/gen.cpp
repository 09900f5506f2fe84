#include "../../kernels/error.hpp"
#include "commands.hpp"
#include "generate.hpp"
#include "output.hpp"

namespace rung::cli {

int gen_command(const GenOptions& o) {
  const Console console(o.console);
  const auto sink = io::open_sink(o.output);
  const io::Format format = output_format(o.to, o.output, o.dtype == DType::bf16 ? io::Format::raw : io::Format::npy);
  const bool as_text = sink->is_terminal() && format != io::Format::csv;
  if (!as_text) io::check_writable(o.dtype, o.shape, format);
  if (!as_text && o.dtype == DType::bf16 && !o.to && !format_of_output(o.output))
    console.warn("bf16 is written as raw, as npy has no name for it: read it with --from raw --dtype bf16" +
                 (o.shape.size() == 1 ? std::string() : " --shape " + to_string(o.shape)));
  else if (const std::string warning = unknown_extension(o.to, o.output, format); !as_text && !warning.empty())
    console.warn(warning);
  const HostArray array = generate(o.shape, o.dtype, o.distribution, o.seed);
  write_result(*sink, array, format, output_delimiter({}, o.output, format), console.progress("writing " + o.output));
  sink->commit();
  return 0;
}

}  // namespace rung::cli
