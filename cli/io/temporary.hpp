// What must not outlive the command, on errors or on signals: files, the process that it waits for, and a line of
// progress on the terminal.
#pragma once
#include <sys/types.h>

#include <array>
#include <csignal>
#include <string>

namespace rung::io {

/// Signals that end a command in order. Not SIGXFSZ: main has a file over the limit be an error like a full disk.
inline constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2};

/// Has those signals remove the file, or the folder once its files are, before they end the process.
/// Signals that the caller ignores or handles are left to it.
void register_temporary(const std::string& path);

/// The file is renamed or removed: forget it.
void forget_temporary(const std::string& path);

/// Has those signals end this process first, and wait for it, so that what it writes is removed too. One at a time.
void register_child(pid_t child);
void forget_child();

/// Has those signals wipe the line of stderr, a terminal, that the cursor is on, while one of progress stands there.
void register_line(bool stands);
inline constexpr const char* wipe_of_line = "\r\x1b[K";

/// Removes all of it and ends this process by that signal.
[[noreturn]] void end_by_signal(int signal_number);

}  // namespace rung::io
