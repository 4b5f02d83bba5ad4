#include "frame/signals.h"

#include "base/run_record.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <unistd.h>

namespace adamant
{
namespace
{
SignalKind kinds[] = {{SIGTERM, "SIGTERM", 3}, {SIGINT, "SIGINT", 130}, {SIGUSR1, "SIGUSR1", 3}};

std::atomic<bool> waits{false};
std::atomic<int>  first{0};
std::atomic<long> came{0}; // in milliseconds, when `first` did

sigset_t all_kinds()
{
  sigset_t signals;
  sigemptyset(&signals);
  for (const auto &kind : kinds)
    sigaddset(&signals, kind.signal);
  return signals;
}

// What follows is called by the handler: only functions that may be called there, no memory is allocated.
[[noreturn]] void end_at_once(int signal)
{
  const SignalKind &kind = signal_kind(signal);
  if (write(STDERR_FILENO, kind.message, std::strlen(kind.message)) < 0)
    {} // nobody is there to be told
  remove_unfinished_files();
  _exit(kind.exit_code);
}

extern "C" void on_signal(int signal)
{
  const int error = errno;
  timespec  now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const long milliseconds = now.tv_sec * 1000L + now.tv_nsec / 1000000L;
  // `timeout` sends its signal twice, so that a second one alone says nothing.
  if (!waits || (signal == SIGINT && first != 0 && milliseconds >= came + 1000))
    end_at_once(signal);
  int none = 0;
  if (first == none)
    came = milliseconds;
  first.compare_exchange_strong(none, signal);
  if (!waits) // no longer: let_signals_wait may have looked before
    end_at_once(first);
  errno = error;
}
} // namespace

void hold_signals()
{
  const sigset_t signals = all_kinds();
  sigprocmask(SIG_BLOCK, &signals, nullptr);
}

void handle_signals(const std::string &program, bool says)
{
  const char      *new_line = isatty(STDERR_FILENO) == 1 ? "\n" : ""; // a line that is written over may be open
  struct sigaction action
  {
  };
  action.sa_handler = on_signal;
  action.sa_flags   = SA_RESTART;
  for (auto &kind : kinds)
    {
      kind.message[0] = 0;
      if (says)
        std::snprintf(kind.message, sizeof(kind.message), "%s%s: ended at once by %s\n", new_line, program.c_str(),
                      kind.name);
      struct sigaction before
      {
      };
      sigaction(kind.signal, nullptr, &before);
      if (kind.signal != SIGINT || before.sa_handler != SIG_IGN) // as shells do it for what runs in the background
        sigaction(kind.signal, &action, nullptr);
    }
  const sigset_t signals = all_kinds();
  sigprocmask(SIG_UNBLOCK, &signals, nullptr);
}

bool let_signals_wait(bool wait)
{
  const bool before = waits.exchange(wait);
  if (!wait && first != 0)
    end_at_once(first);
  return before;
}

int signal_received()
{
  return first;
}

const SignalKind &signal_kind(int signal)
{
  for (const auto &kind : kinds)
    if (kind.signal == signal)
      return kind;
  return kinds[0];
}
} // namespace adamant
