// One error type per exit status; thrown where the fault is known, caught once in main.
#pragma once
#include <stdexcept>
#include <string>
#include <utility>

namespace rung {

/// Base of every error that ends the command. `hint`, when not empty, tells the user what to do.
class Error : public std::runtime_error {
 public:
  Error(const std::string& reason, std::string hint, int exit_status)
      : std::runtime_error(reason), hint_(std::move(hint)), exit_status_(exit_status) {}
  const std::string& hint() const noexcept { return hint_; }
  int exit_status() const noexcept { return exit_status_; }

 private:
  std::string hint_;
  int exit_status_;
};

/// The command line asks for something that cannot be: exit status 2.
struct UsageError : Error {
  explicit UsageError(const std::string& reason, std::string hint = {}) : Error(reason, std::move(hint), 2) {}
};

/// Input that cannot be read or output that cannot be written: exit status 3.
/// The reason starts with the file ("temps.csv:12: field 3: ...") where there is one.
struct FileError : Error {
  explicit FileError(const std::string& reason, std::string hint = {}) : Error(reason, std::move(hint), 3) {}
};

/// A device that is absent, refuses, or finds a fault in a kernel: exit status 4.
struct DeviceError : Error {
  explicit DeviceError(const std::string& reason, std::string hint = {}) : Error(reason, std::move(hint), 4) {}
};

}  // namespace rung
