#pragma once

#include <cstddef>
#include <string>

namespace adamant
{
/// Shows how far a set-up or a time loop is, on standard output. A terminal gets one line that is written over, at most
/// ten times a second. Other outputs, and ranks under Open MPI, get plain lines, at most one a second. The first and
/// the last step are always shown.
class Progress
{
public:
  ~Progress() { close(); }

  /// Shows the part of the set-up that begins now, `elapsed` seconds after the program. With "" as `name` a part ends
  /// and the line is cleared for other output. Without a terminal a part is shown only where another second has passed:
  /// short set-ups print nothing.
  void stage(const std::string &name, double elapsed);

  /// Shows a step; `elapsed` are the seconds since the time loop began. The rate counts from the first step reported,
  /// so that it is right for continued runs, too. `note` stands after the time.
  void show(unsigned int step, unsigned int n_steps, double time, int iterations, double residual, double elapsed,
            const std::string &note = "");

  /// Ends an open line, so that the next output begins on a line of its own.
  void close();

private:
  void write(std::string line); // over the open line of a terminal

  unsigned int first_step = 0;
  double       last_shown = 0;
  std::size_t  open       = 0; ///< characters of the line that is written over
};
} // namespace adamant
