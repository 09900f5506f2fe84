// Files that must not outlive the command, on errors or on signals.
#pragma once
#include <string>

namespace rung::io {

/// Has SIGINT, SIGTERM and SIGHUP remove the file before they end the process. Signals that the caller ignores or
/// handles are left to it.
void register_temporary(const std::string& path);

/// The file is renamed or removed: forget it.
void forget_temporary(const std::string& path);

}  // namespace rung::io
