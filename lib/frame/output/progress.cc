#include "frame/output/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <vector>

namespace adamant
{
namespace
{
// The width of a line that is written over, which has to fit the terminal; 0 where the output is no terminal. Open MPI
// gives each rank a terminal of its own, and its fifth version passes on whole lines only.
std::size_t width_of_terminal()
{
  const char *kind = std::getenv("TERM");
  if (isatty(STDOUT_FILENO) != 1 || kind == nullptr || std::string(kind) == "dumb" ||
      std::getenv("PMIX_RANK") != nullptr)
    return 0;
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1u : 79u;
}

// Seconds in readable form: "42 s", "3 min 20 s", "5 h 12 min", "2 d 3 h".
std::string duration(double seconds)
{
  const long s    = std::lround(std::max(seconds, 0.));
  const auto both = [](long a, const char *unit_a, long b, const char *unit_b) {
    return std::to_string(a) + unit_a + (b > 0 ? ' ' + std::to_string(b) + unit_b : "");
  };
  return s < 60    ? std::to_string(s) + " s" :
         s < 3600  ? both(s / 60, " min", s % 60, " s") :
         s < 86400 ? both(s / 3600, " h", s % 3600 / 60, " min") :
                     both(s / 86400, " d", s % 86400 / 3600, " h");
}

// Which of the usual stages it is; others stand between them.
std::string place_of(const std::string &name)
{
  static const std::vector<std::string> usual = {"mesh", "hierarchy", "assembly", "solver", "initial values"};
  const auto                            found = std::find(usual.begin(), usual.end(), name);
  return found == usual.end() ?
           "" :
           " (" + std::to_string(found - usual.begin() + 1) + " of " + std::to_string(usual.size()) + ")";
}
} // namespace

void Progress::show(unsigned int step, unsigned int n_steps, double time, int iterations, double residual,
                    double elapsed, const std::string &note)
{
  const bool first = first_step == 0, last = step == n_steps;
  if (first)
    first_step = step;
  if (!first && !last && elapsed < last_shown + (width_of_terminal() > 0 ? 0.1 : 1.))
    return;
  last_shown        = elapsed;
  const double rate = (step - first_step + 1) / std::max(elapsed, 1e-9);

  std::ostringstream text;
  text << "step " << step << '/' << n_steps << "  time " << time << (note.empty() ? "" : "  ") << note
       << "  iterations " << iterations << "  residual " << std::scientific << std::setprecision(1) << residual
       << std::defaultfloat << std::setprecision(3) << "  " << rate << " steps/s  left "
       << duration((n_steps - step) / rate);
  write(text.str());
  if (last)
    close();
}

void Progress::write(std::string line)
{
  const std::size_t width = width_of_terminal();
  if (width == 0)
    {
      std::cout << line << std::endl;
      return;
    }
  line.resize(std::min(line.size(), width));
  const std::size_t length = line.size();
  line.resize(std::max(length, open), ' '); // over what was longer
  open = length;
  std::cout << '\r' << line << std::flush;
}

void Progress::stage(const std::string &name, double elapsed)
{
  if (first_step > 0 || (name.empty() && open == 0)) // the time loop has the line, or nobody
    return;
  if (width_of_terminal() == 0 && elapsed < last_shown + 1.)
    return;
  last_shown = elapsed;
  write(name.empty() ? "" : "set-up: " + name + place_of(name) + ", " + duration(elapsed) + " so far");
  if (name.empty())
    std::cout << '\r' << std::flush;
}

void Progress::close()
{
  if (open > 0)
    std::cout << std::endl;
  open = 0;
}
} // namespace adamant
