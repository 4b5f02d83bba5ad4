#pragma once

#include <string>

/// SIGTERM, SIGINT and SIGUSR1 end a program at once wherever it is, with a line on standard error, without unfinished
/// files, and with the exit code 3, or 130 for SIGINT. Only a time loop that asks for them between its steps makes them
/// wait, so that it can write a checkpoint first.
namespace adamant
{
/// From now on; `program` is the name in the message.
void handle_signals(const std::string &program);

/// Whether they wait until signal_received() is asked. Meanwhile SIGINT ends the program at once nevertheless where
/// another signal came a second or more before: a user who presses Ctrl-C again does not want to wait for the step.
/// `false` ends the program where one has come that nobody has asked for.
void let_signals_wait(bool wait);

/// The first one that came while they wait; 0: none.
int signal_received();

std::string name_of_signal(int signal);
int         exit_code_of_signal(int signal);
} // namespace adamant
