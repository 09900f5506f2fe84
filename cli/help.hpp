// The help texts: what they share, and their width; and the terminal's.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace rung::cli {

/// The text that `rung --help` prints, without the exit statuses; paragraphs are lines, for `wrapped`.
extern const char* const overview;
extern const char* const exit_statuses;

/// Columns of the terminal that standard output is; 0 where it is none, or does not say.
std::size_t terminal_width();

/// Columns of a help text: COLUMNS, else those of the terminal that standard output is, else 80. At most 100, for the
/// eye finds no next line in a longer one; at least 64, as options take 30, and words stay whole.
std::size_t help_width();

/// Lines of more than `width` characters broken at blanks. What follows stands below what the line says: behind its
/// first run of blanks ("  1  a check failed"), else two further in than an indented line. In a list of commands under
/// "Examples:" a line that is broken ends in a backslash, as the shell needs it. A word that is wider stays whole.
std::string wrapped(std::string_view text, std::size_t width);

}  // namespace rung::cli
