// A library to preload into a program. The dynamic linker needs 0.25 s for deal.II and its 200 libraries, more than
// most runs of tests. A program that has this library loads once and forks for each run that forked_runs.h or
// scripts/checks/loaded.py asks for. Messages come from the socket of descriptor 3; each word ends with 0. They hold
// the folder to run in, the folder for out.txt and err.txt, arguments, an empty word and the environment. The answer is
// the exit status as waitpid gives it.

#include <algorithm>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace
{
constexpr int requests = 3;

using Main = int (*)(int, char **, char **);
Main program;

int run(std::string &message)
{
  std::vector<char *> words;
  for (std::size_t i = 0; i < message.size(); i = message.find('\0', i) + 1)
    words.push_back(message.data() + i);
  words.push_back(nullptr);
  const auto end = std::find_if(words.begin(), words.end(), [](const char *word) { return *word == '\0'; });
  *end           = nullptr;
  environ        = &*end + 1;
  for (const auto &[file, descriptor] : {std::pair{"/out.txt", 1}, std::pair{"/err.txt", 2}})
    {
      const int opened = open((words[1] + std::string(file)).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
      dup2(opened, descriptor);
      close(opened);
    }
  close(requests);
  if (chdir(words[0]) != 0)
    _exit(127);
  return program(end - words.begin() - 2, words.data() + 2, environ);
}

int serve(int, char **, char **)
{
  static std::string message; // a run's arguments live as long as its process
  for (;;)
    {
      message.resize(1 << 20);
      const auto length = recv(requests, message.data(), message.size(), 0);
      if (length <= 0)
        _exit(0);
      message.resize(length);
      const pid_t child = fork();
      if (child == 0)
        return run(message);
      int status = 0;
      waitpid(child, &status, 0);
      send(requests, &status, sizeof(status), 0);
    }
}
} // namespace

extern "C" int __libc_start_main(Main main, int argc, char **argv, void (*init)(), void (*finish)(), void (*linker)(),
                                 void *stack)
{
  program         = main;
  const auto real = reinterpret_cast<decltype(&__libc_start_main)>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return real(serve, argc, argv, init, finish, linker, stack);
}
