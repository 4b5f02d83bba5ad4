#include "frame/restart/checkpoint.h"

#include "base/exceptions.h"
#include "frame/parameters/parameters.h"

#include <deal.II/base/parameter_handler.h>
#include <deal.II/base/utilities.h>

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
// section. All else is part of the problem.
const std::vector<std::string> may_change = {
  "*/End time", "*/Steps", "Output", "*/Output interval", "Checkpoint", "Ranks", "Linear solver/Matrix format"};

bool names(const std::string &entry, const std::string &key)
{
  return key == entry || key.rfind(entry + "/", 0) == 0 ||
         (entry.rfind("*/", 0) == 0 && key.substr(key.find('/') + 1) == entry.substr(2));
}

bool stays(const std::string &key, const std::vector<std::string> &must_stay)
{
  const auto is_named = [&key](const std::string &entry) { return names(entry, key); };
  return std::any_of(must_stay.begin(), must_stay.end(), is_named) ||
         std::none_of(may_change.begin(), may_change.end(), is_named);
}

// Whether two values are the same: as numbers, or as text.
bool same_entry(const std::string &a, const std::string &b)
{
  char        *end_a = nullptr, *end_b = nullptr;
  const double x = std::strtod(a.c_str(), &end_a), y = std::strtod(b.c_str(), &end_b);
  const bool   numbers = !a.empty() && !b.empty() && *end_a == '\0' && *end_b == '\0';
  return a == b || (numbers && x == y);
}

// Likewise each entry of lists, whatever blanks are around it.
bool same_value(const std::string &a, const std::string &b)
{
  const char *const separators = ",;:";
  for (std::size_t i = 0, j = 0;; ++i, ++j)
    {
      const std::size_t end_i = std::min(a.find_first_of(separators, i), a.size()),
                        end_j = std::min(b.find_first_of(separators, j), b.size());
      if (!same_entry(dealii::Utilities::trim(a.substr(i, end_i - i)),
                      dealii::Utilities::trim(b.substr(j, end_j - j))) ||
          a[end_i] != b[end_j])
        return false;
      if (end_i == a.size())
        return true;
      i = end_i;
      j = end_j;
    }
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

void check_restart(const CheckpointReader &checkpoint, const std::vector<std::string> &must_stay)
{
  const auto before   = nlohmann::json::parse(checkpoint.header.values).flatten(),
             now      = nlohmann::json::parse(comparable_parameters()).flatten();
  const auto value_in = [](const nlohmann::json &all, const std::string &key) {
    return !all.contains(key)      ? "unknown" :
           all.at(key).is_string() ? all.at(key).get<std::string>() :
                                     all.at(key).dump();
  };
  nlohmann::json all = before;
  all.update(now);
  std::string differences;
  for (const auto &entry : all.items())
    if (const std::string key = entry.key().substr(1), was = value_in(before, entry.key()),
        is = value_in(now, entry.key());
        !same_value(was, is) && stays(key, must_stay))
      differences += (differences.empty() ? "" : "; ") + key + " is '" + is + "', was '" + was + "'";
  if (!differences.empty())
    throw InputError("--restart: parameters that change the result differ from those of '" + checkpoint.file +
                     "': " + differences);
}
} // namespace adamant
