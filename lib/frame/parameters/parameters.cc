#include "frame/parameters/parameters.h"

#include "base/exceptions.h"

#include <deal.II/base/parameter_handler.h>
#include <deal.II/base/utilities.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace adamant
{
namespace
{
struct Key
{
  std::vector<std::string> sections;
  std::string              name;

  std::string path() const
  {
    std::string path;
    for (const auto &section : sections)
      path += section + "/";
    return path + name;
  }
};

using dealii::Utilities::trim;

// The declared keys, read off the short form of the parameter file.
std::vector<Key> declared_keys()
{
  std::istringstream       in(parameter_text(dealii::ParameterHandler::ShortPRM));
  std::vector<Key>         keys;
  std::vector<std::string> sections;
  for (std::string line; std::getline(in, line);)
    {
      line = trim(line);
      if (line.rfind("subsection ", 0) == 0)
        sections.push_back(trim(line.substr(11)));
      else if (line == "end")
        sections.pop_back();
      else if (line.rfind("set ", 0) == 0)
        keys.push_back({sections, trim(line.substr(4, line.find('=') - 4))});
    }
  return keys;
}

std::string hint_for_key(const std::string &name)
{
  std::vector<std::string> names, places;
  for (const auto &key : declared_keys())
    {
      names.push_back(key.name);
      if (key.name == name)
        places.push_back("'" + key.path() + "'");
    }
  return places.empty() ? did_you_mean(name, names) : "; there is " + places[0] + ": is it in the right section?";
}

std::string hint_for_section(const std::string &name)
{
  std::vector<std::string> names;
  for (const auto &key : declared_keys())
    names.insert(names.end(), key.sections.begin(), key.sections.end());
  return did_you_mean(name, names);
}

// The part of `text` between two others; empty where they do not occur.
std::string between(const std::string &text, const std::string &begin, const std::string &end)
{
  const auto first = text.find(begin);
  const auto last  = first == std::string::npos ? first : text.find(end, first + begin.size());
  return last == std::string::npos ? "" : text.substr(first + begin.size(), last - first - begin.size());
}

// What `value` may have meant, where the message is that it is none of a selection.
std::string hint_for_value(const std::string &value, const std::string &message)
{
  return did_you_mean(value, dealii::Utilities::split_string_list(between(message, "[Selection ", "]"), '|'));
}

// The text of a parameter file, with the files that it includes in their places. While deal.II would look for these
// files from the working directory, here it is from the folder of the including file.
class ParameterText
{
public:
  explicit ParameterText(const std::string &file)
    : file(file)
  {
    append(file, "", 0);
  }

  // Throws InputError with the file and the line at fault.
  void parse() const
  {
    std::string text;
    for (const auto &line : lines)
      text += line.text + "\n";
    std::istringstream in(text);
    try
      {
        dealii::ParameterAcceptor::prm.parse_input(in, file);
      }
    catch (const std::exception &error)
      {
        const auto *const own     = dynamic_cast<const dealii::ExceptionBase *>(&error);
        const std::string message = own != nullptr ? message_of(*own) : error.what();
        throw InputError("parameter file '" + file + "': " + in_its_file(message) + hint(message));
      }
  }

private:
  struct Line
  {
    std::string text, file;
    int         number;
  };

  void append(const std::string &name, const std::string &included_by, int depth)
  {
    const auto fault = [&](const std::string &what) {
      return InputError("parameter file '" + name + "'" + included_by + ": " + what);
    };
    std::ifstream in(name);
    if (!in)
      throw fault("cannot be opened");
    // Devices need not end; a pipe may stand for the first file.
    if (std::error_code error;
        !std::filesystem::is_regular_file(name, error) && (depth > 0 || !std::filesystem::is_fifo(name, error)))
      throw fault(std::filesystem::is_directory(name, error) ? "is a folder" : "is no file");
    if (in.peek() == std::ifstream::traits_type::eof())
      throw fault("is empty");
    if (depth > 20)
      throw fault("includes more than 20 files deep: does it include itself?");
    int number = 0;
    for (std::string text; std::getline(in, text);)
      {
        if (++number == 1 && text.rfind("\xEF\xBB\xBF", 0) == 0)
          text.erase(0, 3); // the mark of UTF-8 that some editors write
        const std::string statement = trim(text);
        const bool        include   = statement.rfind("include ", 0) == 0 || statement.rfind("INCLUDE ", 0) == 0;
        if (!include)
          {
            lines.push_back({text, name, number});
            continue;
          }
        const auto path =
          std::filesystem::path(name).parent_path() / trim(statement.substr(8, statement.find('#') - 8));
        append(path.string(), ", included in line " + std::to_string(number) + " of '" + name + "'", depth + 1);
      }
  }

  // The line that deal.II names; null where it names none.
  const Line *line_of(const std::string &message) const
  {
    const std::string number = between(message, "ine <", ">");
    if (number.empty() || number.size() > 9 || number.find_first_not_of("0123456789") != std::string::npos)
      return nullptr;
    const std::size_t n = std::stoul(number);
    return n >= 1 && n <= lines.size() ? &lines[n - 1] : nullptr;
  }

  // The message with the line's number in its own file.
  std::string in_its_file(std::string message) const
  {
    const Line *const line = line_of(message);
    if (line == nullptr)
      return message;
    const auto number = message.find("ine <") + 5;
    message.replace(number, message.find('>', number) - number, std::to_string(line->number));
    if (const auto name = message.find("of file <" + file, number); name != std::string::npos)
      message.replace(name + 9, file.size(), line->file);
    return message;
  }

  std::string hint(const std::string &message) const
  {
    if (message.find("pattern") != std::string::npos)
      return hint_for_value(between(message, "The entry value ", " for the entry named"), message);
    const Line *const line = line_of(message);
    if (line == nullptr)
      return "";
    const std::string text = trim(line->text);
    if (text.rfind("set ", 0) == 0)
      return hint_for_key(trim(text.substr(4, text.find('=') - 4)));
    if (text.rfind("subsection ", 0) == 0)
      return hint_for_section(trim(text.substr(11)));
    const std::vector<std::string> words = {"set", "subsection", "end", "include"};
    const std::string              word  = text.substr(0, text.find(' '));
    return std::count(words.begin(), words.end(), word) > 0 ? "" : did_you_mean(word, words);
  }

  const std::string file;
  std::vector<Line> lines;
};

void apply_setting(const std::string &setting)
{
  const auto fault = [&](const std::string &what) { return InputError("--set \"" + setting + "\": " + what); };
  const auto equal = setting.find('=');
  if (equal == std::string::npos)
    throw fault("expected Section/key=value");
  const std::string path = trim(setting.substr(0, equal)), value = trim(setting.substr(equal + 1));
  const auto        keys  = declared_keys();
  const auto        found = std::find_if(keys.begin(), keys.end(), [&](const Key &key) { return key.path() == path; });
  if (found == keys.end())
    {
      std::vector<std::string> paths;
      for (const auto &key : keys)
        paths.push_back(key.path());
      // The right key in a wrong section tells more than a similar path.
      const auto name    = path.substr(path.rfind('/') + 1);
      const auto section = path.substr(0, path.size() - name.size());
      const bool misplaced =
        std::any_of(keys.begin(), keys.end(), [&](const Key &key) { return key.name == name; }) &&
        std::any_of(paths.begin(), paths.end(), [&](const auto &p) { return p.rfind(section, 0) == 0; });
      const auto hint = did_you_mean(path, paths);
      throw fault("no parameter '" + path + "'" + (misplaced || hint.empty() ? hint_for_key(name) : hint));
    }
  auto &prm = dealii::ParameterAcceptor::prm;
  for (const auto &section : found->sections)
    prm.enter_subsection(section);
  std::string message;
  try
    {
      prm.set(found->name, value);
    }
  catch (const dealii::ExceptionBase &error)
    {
      message = message_of(error);
    }
  for (std::size_t i = 0; i < found->sections.size(); ++i)
    prm.leave_subsection();
  if (!message.empty())
    throw fault(message + hint_for_value(value, message));
}

std::string folder_of_file;
} // namespace

void read_parameters(const CommandLine &line, const std::string &text)
{
  folder_of_file = std::filesystem::path(line.parameter_file).parent_path().string();
  dealii::ParameterAcceptor::declare_all_parameters();
  if (!line.parameter_file.empty())
    ParameterText(line.parameter_file).parse();
  else if (!text.empty())
    dealii::ParameterAcceptor::prm.parse_input_from_string(text);
  for (const auto &setting : line.settings)
    apply_setting(setting);
  dealii::ParameterAcceptor::parse_all_parameters();
}

const std::string &parameter_folder()
{
  return folder_of_file;
}

std::string parameter_text(dealii::ParameterHandler::OutputStyle style)
{
  std::ostringstream text;
  dealii::ParameterAcceptor::prm.print_parameters(text, style);
  return text.str();
}
} // namespace adamant
