#pragma once

#include <string>

/// SIGTERM, SIGINT and SIGUSR1 end a program at once wherever it is, with a line on standard error, without unfinished
/// files, and with the exit code 3, or 130 for SIGINT. Only a time loop that asks for them between its steps makes them
/// wait, so that it can write a checkpoint first, and a run while it moves an earlier one's files.
namespace adamant
{
/// From now on; `program` is the name in the message, which is written where this process `says` it. SIGINT that the
/// process ignored when it was started stays ignored.
void handle_signals(const std::string &program, bool says = true);

/// Signals wait until handle_signals(), also in a program that takes the place of this one.
void hold_signals();

/// Whether they wait until signal_received() is asked. Meanwhile SIGINT ends the program at once nevertheless where
/// another signal came a second or more before: a user who presses Ctrl-C again does not want to wait for the step.
/// `false` ends the program where one has come that nobody has asked for. Returns what held before.
bool let_signals_wait(bool wait);

/// Signals wait while it lives.
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

/// The first one that came while they wait; 0: none.
int signal_received();

std::string name_of_signal(int signal);
int         exit_code_of_signal(int signal);
} // namespace adamant
