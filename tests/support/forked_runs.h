#pragma once

#include <cerrno>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <vector>

extern char **environ;

/// A program that has loaded its libraries and forks for each run in `folder`: the other end of fork_runs.cc.
class ForkedRuns
{
public:
  /// Whether the library to preload is there.
  static bool available() { return std::filesystem::exists(FORK_RUNS); }

  ForkedRuns(const std::string &program, const std::filesystem::path &folder)
    : folder(folder)
  {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
      throw std::system_error(errno, std::generic_category(), "socketpair");
    process = fork();
    if (process == 0)
      {
        dup2(ends[1], 3); // without CLOEXEC
        setenv("LD_PRELOAD", FORK_RUNS, 1);
        execl(program.c_str(), program.c_str(), nullptr);
        _exit(127);
      }
    close(ends[1]);
    socket = ends[0];
  }
  ForkedRuns(const ForkedRuns &)            = delete;
  ForkedRuns &operator=(const ForkedRuns &) = delete;
  ~ForkedRuns()
  {
    close(socket);
    waitpid(process, nullptr, 0);
  }

  /// Runs the program with these words as argv, the environment of this process, out.txt and err.txt; its exit status
  /// as waitpid gives it.
  int run(const std::vector<std::string> &words) const
  {
    std::string message = folder.string() + '\0' + folder.string() + '\0';
    for (const auto &word : words)
      message += word + '\0';
    message += '\0';
    for (char **variable = environ; *variable != nullptr; ++variable)
      message += std::string(*variable) + '\0';
    int status = 0;
    if (send(socket, message.data(), message.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(message.size()) ||
        recv(socket, &status, sizeof(status), 0) != sizeof(status))
      throw std::runtime_error("the program that waits for runs has ended: " + words.front());
    return status;
  }

private:
  const std::filesystem::path folder;
  int                         socket  = -1;
  pid_t                       process = -1;
};
