#include "frame/restart/checkpoint.h"

#include "base/exceptions.h"
#include "frame/parameters/parameters.h"
#include "frame/program.h"

#include <deal.II/base/parameter_handler.h>
#include <deal.II/base/utilities.h>

#include <boost/tokenizer.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace adamant
{
namespace
{
// When a run ends, what is written of it, and where it is computed: "Section/key", a whole section, or a key of every
// section. All else is part of the problem, unless a program's RestartKeys say otherwise.
const std::vector<std::string> may_change = {
  "*/End time", "*/Steps", "Output", "*/Output interval", "Checkpoint", "Ranks", "Linear solver/Matrix format"};

bool is_among(const std::vector<std::string> &entries, const std::string &key)
{
  return std::any_of(entries.begin(), entries.end(), [&key](const std::string &entry) {
    return key == entry || key.rfind(entry + "/", 0) == 0 ||
           (entry.rfind("*/", 0) == 0 && key.substr(key.find('/') + 1) == entry.substr(2));
  });
}

// Whether two entries are equal but for blanks around them: as numbers, or as text.
bool same_entry(const std::string &entry_a, const std::string &entry_b)
{
  const auto   a = dealii::Utilities::trim(entry_a), b = dealii::Utilities::trim(entry_b);
  char        *end_a = nullptr, *end_b = nullptr;
  const double x = std::strtod(a.c_str(), &end_a), y = std::strtod(b.c_str(), &end_b);
  const bool   numbers = !a.empty() && !b.empty() && *end_a == '\0' && *end_b == '\0';
  return a == b || (numbers && x == y);
}

// Whether two lists have equal entries and separators.
bool same_value(const std::string &a, const std::string &b)
{
  using Separators = boost::char_separator<char>;
  const Separators                   kept("", ",;:", boost::keep_empty_tokens);
  const boost::tokenizer<Separators> of_a(a, kept), of_b(b, kept);
  return std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), same_entry);
}
} // namespace

std::string comparable_parameters()
{
  auto            values = nlohmann::json::parse(parameter_text(dealii::ParameterHandler::ShortJSON));
  const auto      key    = nlohmann::json::json_pointer("/Mesh/File");
  std::error_code none;
  if (values.contains(key))
    if (const std::string file = values[key]; std::filesystem::is_regular_file(file, none))
      values[key] = "a file with checksum " + std::to_string(checksum(file, std::filesystem::file_size(file, none)));
  return values.dump();
}

void check_restart(CheckpointReader &checkpoint, const RestartKeys &keys)
{
  const auto before   = nlohmann::json::parse(checkpoint.header.values).flatten(),
             now      = nlohmann::json::parse(comparable_parameters()).flatten();
  const auto value_in = [](const nlohmann::json &all, const std::string &key) {
    const auto value = all.value(key, nlohmann::json("unknown"));
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  nlohmann::json all = before;
  all.update(now);
  std::string differences;
  for (const auto &entry : all.items())
    if (const std::string key = entry.key().substr(1), was = value_in(before, entry.key()),
        is = value_in(now, entry.key());
        !same_value(was, is) && (is_among(keys.must_stay, key) || !is_among(may_change, key)))
      {
        std::string &list = is_among(keys.may_change, key) ? checkpoint.other_steps : differences;
        list += (list.empty() ? "" : "; ") + key + " is '" + is + "', was '" + was + "'";
      }
  require(differences.empty(), "--restart: parameters that change the result differ from those of '", checkpoint.file,
          "': ", differences);
}
} // namespace adamant
