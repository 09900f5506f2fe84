// What waits on standard input, for commands that may do without.
#pragma once
#include "../console.hpp"
#include "../options.hpp"

namespace rung::cli {

/// Whether a npy array comes next on standard input, a pipe or a file. Takes nothing from it, so that a script that the
/// shell reads from there stays whole, and waits for nothing: what a slow writer has yet to send is not seen.
bool array_waits_on_stdin();

/// Of commands that make their input without a FILE: says, once, that the array on standard input is not it. To be
/// asked before the work and after it, by when the writer has written.
class UnreadInput {
 public:
  UnreadInput(const RunOptions& options, const Console& console) : options_(options), console_(console) {}
  void look();

 private:
  const RunOptions& options_;
  const Console& console_;
  bool said_ = false;
};

}  // namespace rung::cli
