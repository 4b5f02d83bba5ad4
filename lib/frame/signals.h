#pragma once

#include <string>

/// SIGTERM, SIGINT and SIGUSR1 end a program at once, with a line on standard error, without unfinished files. The exit
/// code is 3, or 130 for SIGINT. Signals wait in a time loop that asks for them between its steps, so that it can write
/// a checkpoint first. They also wait while a run moves an earlier run's files.
namespace adamant
{
/// Handles signals from now on. `program` is the name in the message, which this process writes where `says` is set.
/// SIGINT stays ignored where the process ignored it from its start.
void handle_signals(const std::string &program, bool says = true);

/// Makes signals wait until handle_signals(), also in a program that takes the place of this one.
void hold_signals();

/// Sets whether signals wait until signal_received() is asked, and returns the setting before. A waiting SIGINT still
/// ends the program at once where another signal came a second or more before: its user pressed Ctrl-C twice. `false`
/// ends the program where a signal has come meanwhile.
bool let_signals_wait(bool wait);

/// Lets signals wait while the object lives.
class SignalsWait
{
public:
  SignalsWait()
    : before(let_signals_wait(true))
  {}
  ~SignalsWait() { let_signals_wait(before); }
  SignalsWait(const SignalsWait &)            = delete;
  SignalsWait &operator=(const SignalsWait &) = delete;

private:
  const bool before;
};

/// Returns the first signal that came while signals wait, or 0.
int signal_received();

/// A signal that programs handle.
struct SignalKind
{
  int         signal;
  const char *name;
  int         exit_code;
  char        message[256] = ""; ///< which the program ends with
};

/// Returns the kind of a signal; of others it returns SIGTERM's.
const SignalKind &signal_kind(int signal);
} // namespace adamant
