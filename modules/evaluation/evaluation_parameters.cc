#include "evaluation/evaluation_parameters.h"

#include "base/exceptions.h"

#include <deal.II/base/patterns.h>

#include <algorithm>
#include <map>
#include <sstream>

namespace adamant
{
namespace
{
using Kind   = Statistic::Kind;
using Region = Statistic::Region;

const std::map<std::string, Kind> kinds = {
  {"integral", Kind::integral}, {"mean", Kind::mean}, {"min", Kind::min}, {"max", Kind::max}, {"zeros", Kind::zeros}};

std::vector<std::string> words_of(const std::string &text)
{
  std::istringstream       in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;)
    words.push_back(word);
  return words;
}

// Parses the words behind the quantity.
void parse_region(const std::string &key, const std::string &entry, const std::vector<std::string> &place,
                  const MeshFileParameters &mesh_file, Statistic &statistic)
{
  const std::string forms = "'over material NAME', 'over domain' or 'on boundary NAME'";
  if (place.empty() || place == std::vector<std::string>{"over", "domain"})
    return;
  const bool material = place[0] == "over" && place.size() == 3 && place[1] == "material";
  require(material || (place[0] == "on" && place.size() == 3 && place[1] == "boundary"), key, ": in '", entry,
          "' a place has to be ", forms, ", and '", place[0],
          place.size() > 1 ? " " + place[1] + "' is not" + did_you_mean(place[1], {"material", "domain", "boundary"}) :
                             "' is not");
  statistic.region = material ? Region::material : Region::boundary;
  statistic.id     = material ? mesh_file.materials(key)(place[2]) : mesh_file.boundaries(key)(place[2]);
}

Statistic parse_statistic(const std::string &key, const std::string &entry, const MeshFileParameters &mesh_file)
{
  auto      words = words_of(entry);
  Statistic statistic;
  if (const auto kind = kinds.find(words[0]); kind != kinds.end())
    {
      statistic.kind   = kind->second;
      statistic.before = kind->first + "_";
      words.erase(words.begin());
      require(!words.empty() && words[0] != "over" && words[0] != "on", key, ": '", entry,
              "' names no quantity behind '", kind->first, "'");
    }
  else if (words.size() > 1 && words[1] != "over" && words[1] != "on")
    {
      std::vector<std::string> known;
      for (const auto &[name, kind] : kinds)
        known.push_back(name);
      throw InputError(key + ": '" + words[0] + "' in '" + entry + "' is none of mean, integral, min, max, zeros" +
                       did_you_mean(words[0], known));
    }
  statistic.quantity = words[0];
  for (auto word = words.begin() + 1; word != words.end(); ++word)
    statistic.after += "_" + *word;
  parse_region(key, entry, {words.begin() + 1, words.end()}, mesh_file, statistic);
  if (statistic.region == Region::domain && statistic.before.empty()) // programs have columns with names of quantities
    statistic.before = "integral_";
  require(statistic.kind != Kind::zeros || statistic.region == Region::boundary, key, ": '", entry,
          "' needs 'on boundary NAME': zeros are looked for along a boundary");
  return statistic;
}

void check_fields(const std::vector<std::string> &fields, const std::vector<std::string> &known)
{
  std::string names;
  for (const auto &one : known)
    names += (names.empty() ? "" : ", ") + one;
  for (const auto &field : fields)
    {
      require(std::find(known.begin(), known.end(), field) != known.end(), "Output/Fields: '", field,
              "' is no derived field of this program, which has ", names, did_you_mean(field, known));
      require(std::count(fields.begin(), fields.end(), field) == 1, "Output/Fields: '", field, "' occurs twice");
    }
}
} // namespace

std::vector<Statistic> parse_statistics(const std::string &key, const std::string &list,
                                        const MeshFileParameters &mesh_file)
{
  std::vector<Statistic> statistics;
  std::istringstream     in(list);
  for (std::string entry; std::getline(in, entry, ';');)
    {
      const auto words = words_of(entry);
      if (words.empty())
        continue;
      std::string text = words[0];
      for (auto word = words.begin() + 1; word != words.end(); ++word)
        text += " " + *word;
      const auto statistic = parse_statistic(key, text, mesh_file);
      require(text.find(',') == std::string::npos, key, ": '", text,
              "' has a comma; semicolons separate the entries of the list");
      require(std::none_of(statistics.begin(), statistics.end(),
                           [name = statistic.name_for(statistic.quantity)](const auto &other) {
                             return other.name_for(other.quantity) == name;
                           }),
              key, ": '", text, "' occurs twice");
      statistics.push_back(statistic);
    }
  return statistics;
}

EvaluationParameters::EvaluationParameters(const MeshFileParameters &mesh_file, const std::string &quantities,
                                           const std::string &recorded, const std::string &sampled,
                                           const std::vector<std::string> &known,
                                           const std::vector<std::string> &fields)
  : ParameterAcceptor("/Output")
  , fields(fields)
{
  using namespace dealii::Patterns;
  auto names = known;
  names.insert(names.end(), {"material", "level", "rank"});
  parse_parameters_call_back.connect([this, &mesh_file, names] {
    check_fields(this->fields, names);
    statistics = parse_statistics("Output/Statistics", list, mesh_file);
  });
  add_parameter("Fields", this->fields,
                "Derived fields of VTU files, beside the solution: " + dealii::Patterns::Tools::to_string(names));
  add_parameter("Statistics", list,
                "Numbers for statistics.csv and run.json: '[KIND] QUANTITY [over material NAME | on boundary NAME]; "
                "...'. KIND is mean, integral, min, max or zeros; without one it is the integral. QUANTITY is " +
                  quantities);
  add_parameter("Points", points, "Where " + recorded + ": 'x, y; x, y; ...'");
  add_parameter("Profiles", profiles,
                "Lines along which " + sampled + " sampled: 'x0, y0, x1, y1; ...', six numbers each in 3D");
  add_parameter("Profile points", profile_points, "Number of points on each line, ends included", prm, Integer(2));
  add_parameter("Planes", planes,
                "Planes on which " + sampled +
                  " sampled, each by a corner and two edges: 'x, y, a_x, a_y, b_x, b_y; ...', nine numbers in 3D");
  add_parameter("Plane points", plane_points, "Number of points along the two edges of each plane, ends included", prm,
                dealii::Patterns::List(Integer(2), 2, 2));
}

void EvaluationParameters::add_statistics_interval()
{
  add_parameter("Statistics interval", statistics_interval,
                "Steps between rows of statistics.csv; Statistics and Points are evaluated on the host", prm,
                dealii::Patterns::Integer(1));
}

void EvaluationParameters::check(unsigned int dim) const
{
  for (const auto &line : profiles)
    require(line.size() == 2 * dim, "Output/Profiles: a line needs ", 2 * dim, " numbers, one has ", line.size());
  for (const auto &plane : planes)
    require(plane.size() == 3 * dim, "Output/Planes: a plane needs ", 3 * dim, " numbers, one has ", plane.size());
  for (const auto &point : points)
    require(point.size() >= dim, "Output/Points: a point has fewer than ", dim, " coordinates");
}
} // namespace adamant
