#include "base/command_line.h"

#include "base/exceptions.h"

#include <gtest/gtest.h>

using namespace adamant;

namespace
{
CommandLine parse(std::vector<const char *> arguments)
{
  arguments.insert(arguments.begin(), "program");
  return parse_command_line(static_cast<int>(arguments.size()), arguments.data(), "program");
}

// The message of the InputError, which has to hold all `parts`.
void expect_error(const std::vector<const char *> &arguments, const std::vector<std::string> &parts)
{
  try
    {
      parse(arguments);
      ADD_FAILURE() << "expected InputError with '" << parts[0] << "'";
    }
  catch (const InputError &error)
    {
      const std::string message = error.what();
      for (const std::string &part : parts)
        EXPECT_NE(message.find(part), std::string::npos) << "expected '" << part << "' in: " << message;
    }
}
} // namespace

TEST(CommandLine, Defaults)
{
  const CommandLine line = parse({});
  EXPECT_EQ(line.parameter_file, "");
  EXPECT_TRUE(line.settings.empty());
  EXPECT_EQ(line.backend, "auto");
  EXPECT_EQ(line.threads, 0);
  EXPECT_EQ(line.output, "");
  EXPECT_FALSE(line.print_parameters || line.help || line.version);
}

TEST(CommandLine, EveryOption)
{
  const CommandLine line = parse({"case.prm", "--set", "A/b=1", "--backend", "host", "--threads=3", "--output", "a b",
                                  "--set", "A/c = 2", "--print-parameters", "--help", "--version"});
  EXPECT_EQ(line.parameter_file, "case.prm");
  EXPECT_EQ(line.settings, (std::vector<std::string>{"A/b=1", "A/c = 2"}));
  EXPECT_EQ(line.backend, "host");
  EXPECT_EQ(line.threads, 3);
  EXPECT_EQ(line.output, "a b");
  EXPECT_TRUE(line.print_parameters && line.help && line.version);
}

// Files would go where the parameters say.
TEST(CommandLine, OutputNeedsAName)
{
  expect_error({"--output", ""}, {"--output", "name of a folder"});
  expect_error({"--output="}, {"--output"});
}

TEST(CommandLine, UsageNamesProgramAndOptions)
{
  const std::string usage = parse({}).usage;
  for (const char *part : {"program [FILE.prm]", "--set", "--backend", "--threads", "--output", "--print-parameters",
                           "--help", "--version"})
    EXPECT_NE(usage.find(part), std::string::npos) << "expected '" << part << "' in:\n" << usage;
}

TEST(CommandLine, UnknownOptionNamesTheNearest)
{
  expect_error({"--thread", "2"}, {"--thread'", "did you mean '--threads'"});
  expect_error({"--backed=host"}, {"--backed", "--backend"});
  expect_error({"--zzzzzzzzzzz"}, {"unknown option '--zzzzzzzzzzz'"});
}

TEST(CommandLine, AbbreviationsAreErrors)
{
  expect_error({"--out", "x"}, {"unknown option '--out'"});
}

TEST(CommandLine, UnknownBackendNamesTheKnown)
{
  expect_error({"--backend", "cdua"}, {"unknown backend 'cdua'", "auto, host or cuda", "did you mean 'cuda'"});
}

TEST(CommandLine, BadThreads)
{
  expect_error({"--threads", "-1"}, {"--threads", "-1"});
  expect_error({"--threads", "two"}, {"threads", "two"});
  expect_error({"--threads", "1.5"}, {"threads", "1.5"});
  expect_error({"--threads", "99999999999"}, {"threads", "99999999999"});
}

TEST(CommandLine, MissingValue)
{
  expect_error({"--threads"}, {"threads"});
  expect_error({"--output"}, {"output"});
  expect_error({"--set"}, {"set"});
}

TEST(CommandLine, OptionGivenTwice)
{
  expect_error({"--backend", "host", "--backend", "cuda"}, {"backend"});
}

TEST(CommandLine, JSONOfParameters)
{
  expect_error({"--json"}, {"--json", "--print-parameters"});
}

TEST(CommandLine, TwoParameterFiles)
{
  expect_error({"a.prm", "b.prm"}, {"a.prm", "b.prm", "one parameter file"});
}
