#pragma once

#include <cstddef>
#include <string>

namespace adamant
{
/// Seconds as a reader takes them in: "42 s", "3 min 20 s", "5 h 12 min", "2 d 3 h".
std::string duration(double seconds);

/// Where a set-up or a time loop stands, on standard output: on a terminal one line that is written over, at most ten
/// times a second; otherwise plain lines, at most one a second. The first and the last step are always shown.
class Progress
{
public:
  ~Progress() { close(); }

  /// A part of the set-up that begins now, `elapsed` seconds after the program, or "" where one ends, which leaves the
  /// line empty for others. Without a terminal it is shown only where another second has passed: short set-ups say
  /// nothing.
  void stage(const std::string &name, double elapsed);

  /// `elapsed`: seconds since the time loop began. The rate counts from the first step reported, so that it holds for
  /// continued runs, too. `note` stands after the time.
  void show(unsigned int step, unsigned int n_steps, double time, int iterations, double residual, double elapsed,
            const std::string &note = "");

  /// Ends an open line; what is printed next stands on a line of its own.
  void close();

private:
  void write_over(std::string line);

  unsigned int first_step = 0;
  double       last_shown = 0;
  std::size_t  open       = 0; ///< characters of the line that is written over
};
} // namespace adamant
