#include "evaluation/evaluation.h"

#include "base/exceptions.h"
#include "evaluation/states.h"
#include "meshes/mesh_input.h"

#include <deal.II/base/mpi.h>
#include <deal.II/base/quadrature_lib.h>

#include <algorithm>
#include <array>
#include <set>
#include <type_traits>

namespace adamant
{
namespace
{
using Kind   = Statistic::Kind;
using Region = Statistic::Region;

const std::string key = "Output/Statistics";

bool of_extremes(const Statistic &statistic)
{
  return statistic.kind == Kind::min || statistic.kind == Kind::max;
}

template <int dim>
unsigned int highest_degree(const std::vector<EvaluatedField<dim>> &fields)
{
  unsigned int degree = 1;
  for (const auto &field : fields)
    degree = std::max(degree, field.space->element().degree);
  return degree;
}

// The components of a field as columns, from entry p n + c for component c of n at point p.
void add_columns(std::vector<SampleColumn> &columns, const std::vector<std::string> &names,
                 const std::vector<double> &values)
{
  for (std::size_t c = 0; c < names.size(); ++c)
    {
      columns.push_back({names[c], {}});
      for (std::size_t k = c; k < values.size(); k += names.size())
        columns.back().values.push_back(values[k]);
    }
}

void add_points(Statistics::Row &row, const std::vector<SampleColumn> &columns)
{
  for (const auto &column : columns)
    for (std::size_t p = 0; p < column.values.size(); ++p)
      row.emplace_back("point" + std::to_string(p) + "_" + column.name, column.values[p]);
}
} // namespace

template <int dim>
Evaluation<dim>::Evaluation(const EvaluationParameters &parameters, const dealii::Mapping<dim> &mapping,
                            std::vector<EvaluatedField<dim>> given, std::vector<Quantity<dim>> of_fields,
                            BoundaryFunctionals functionals)
  : parameters(parameters)
  , mapping(mapping)
  , fields(std::move(given))
  , quantities(std::move(of_fields))
  , functionals(std::move(functionals))
  , points(place({"Output/Points", "point", 0, {}, points_of<dim>(parameters.points)}))
{
  add_quantities_of_fields();
  for (const auto &statistic : parameters.statistics)
    choose(statistic);
  std::set<std::string> names;
  for (const auto &field : fields)
    names.insert(field.columns.begin(), field.columns.end());
  for (const auto &wanted : all)
    require(names.insert(wanted.name).second, key, ": statistics.csv has a column ", wanted.name,
            " already; 'over domain' behind the entry gives another name");
  check_regions();
  for (auto &at : sample_places<dim>(parameters))
    samples.push_back(place(std::move(at)));
}

template <int dim>
void Evaluation<dim>::add_quantities_of_fields()
{
  std::size_t number = 0;
  for (const auto &field : fields)
    for (const auto &name : field.names)
      quantities.push_back({name, [k = number++](const PointState<dim> &state) { return state.value[k]; }});
}

// Puts a statistic into the list, for each component where its quantity is a vector.
template <int dim>
void Evaluation<dim>::choose(const Statistic &statistic)
{
  const std::string       &name = statistic.quantity;
  std::vector<std::string> known;
  const std::size_t        before = all.size();
  for (const auto &[functional, value] : functionals)
    {
      known.push_back(functional);
      require(functional != name || (statistic.region == Region::boundary && statistic.kind == Kind::integral), key,
              ": '", name, "' is for '", name, " on boundary NAME'");
      for (int c = 0; c < dim && functional == name; ++c)
        all.push_back({&statistic, {}, statistic.name_for(name + "_" + "xyz"[c]), c});
    }
  const auto take = [&](const Quantity<dim> &quantity) {
    require(!quantity.on_boundary || statistic.region == Region::boundary, key, ": '", name,
            "' needs 'on boundary NAME', as it has a normal");
    all.push_back({&statistic, quantity, statistic.name_for(quantity.name)});
  };
  for (const auto &quantity : quantities)
    {
      known.push_back(quantity.name);
      if (quantity.name == name)
        take(quantity);
    }
  if (all.size() == before)
    for (const char axis : {'x', 'y', 'z'})
      for (const auto &quantity : quantities)
        if (quantity.name == name + "_" + axis)
          take(quantity);
  std::string names;
  for (const auto &one : known)
    names += (names.empty() ? "" : ", ") + one;
  require(all.size() > before, key, ": '", name, "' is no quantity of this program, which has ", names,
          did_you_mean(name, known));
  require(statistic.kind != Kind::zeros || dim == 2, key, ": zeros are for two dimensions");
}

// Throws InputError where the mesh lacks a boundary or a material.
template <int dim>
void Evaluation<dim>::check_regions() const
{
  std::set<unsigned int> boundaries, materials;
  for (const auto &statistic : parameters.statistics)
    (statistic.region == Region::boundary ? boundaries : materials).insert(statistic.id);
  check_boundaries(key, boundaries, space().triangulation());
  for (const auto &statistic : parameters.statistics)
    {
      double found = statistic.region == Region::material ? 0. : 1.;
      for (int c = 0; c < space().n_cells() && found == 0.; ++c)
        found = space().active_cells()[c]->material_id() == statistic.id ? 1. : 0.;
      space().communicator().max(&found, 1);
      require(found > 0., key, ": no cell has material ", statistic.id);
    }
}

template <int dim>
typename Evaluation<dim>::Place Evaluation<dim>::place(SamplePlace<dim> at) const
{
  Place place{std::move(at), {}};
  for (std::size_t i = 0; i < fields.size() && !place.at.points.empty(); ++i)
    if (const auto &[space, names, columns] = fields[i]; place.evaluations.count(space) == 0)
      place.evaluations.emplace(
        space,
        HostPointEvaluation(space->communicator(), evaluation_matrix(place.at.key, *space, mapping, place.at.points,
                                                                     static_cast<unsigned int>(names.size()))));
  return place;
}

template <int dim>
std::vector<SampleColumn> Evaluation<dim>::columns(const Place &place, const Values &values) const
{
  std::vector<SampleColumn> columns;
  for (std::size_t i = 0; i < fields.size() && !place.at.points.empty(); ++i)
    {
      const std::size_t n = fields[i].space->n_owned();
      add_columns(columns, fields[i].names,
                  place.evaluations.at(fields[i].space)(Array<double>(values[i], values[i] + n)));
    }
  return columns;
}

template <int dim>
std::vector<Array<double>> Evaluation<dim>::local(const Values &values) const
{
  std::vector<Array<double>> local;
  for (std::size_t i = 0; i < fields.size(); ++i)
    local.push_back(fields[i].space->local_values(values[i]));
  return local;
}

template <int dim>
void Evaluation<dim>::Sums::add(double value, double weight)
{
  integral += weight * value;
  measure += weight;
  least = std::isnan(value) ? value : std::min(least, value);
  most  = std::isnan(value) ? value : std::max(most, value);
}

template <int dim>
void Evaluation<dim>::Sums::add(const Sums &other)
{
  integral += other.integral;
  measure += other.measure;
  least = std::isnan(other.least) ? other.least : std::min(least, other.least);
  most  = std::isnan(other.most) ? other.most : std::max(most, other.most);
}

// Adds the points of a rule on all cells, or on their faces at boundaries. Each cell's part is summed first, so that
// the result does not depend on the number of threads.
template <int dim>
template <class FE, class Rule>
void Evaluation<dim>::sum_over(const Rule &rule, bool of_nodes, const std::vector<Array<double>> &local,
                               std::vector<Sums> &sums) const
{
  constexpr bool           on_faces = std::is_same_v<FE, dealii::FEFaceValues<dim>>;
  std::vector<std::size_t> mine;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (const auto &statistic = *all[k].statistic; all[k].component < 0 && statistic.kind != Kind::zeros &&
                                                   of_extremes(statistic) == of_nodes &&
                                                   (statistic.region == Region::boundary) == on_faces)
      mine.push_back(k);
  if (mine.empty())
    return;
  const int         n_cells = space().n_cells();
  std::vector<Sums> parts(mine.size() * n_cells);
#pragma omp parallel
  {
    FieldStates<dim, FE> states(fields, local, mapping, rule);
    const auto           add = [&](int cell, Region region, unsigned int id, const auto &...face) {
      bool ready = false;
      for (std::size_t k = 0; k < mine.size(); ++k)
        {
          const auto &[statistic, quantity, name, component] = all[mine[k]];
          if (statistic->region != Region::domain && (statistic->region != region || statistic->id != id))
            continue;
          if (!std::exchange(ready, true))
            states.reinit(space().active_cells()[cell], face...);
          for (unsigned int q = 0; q < states.size(); ++q)
            parts[mine.size() * cell + k].add(quantity.value(states[q]), states.weight(q));
        }
    };
#pragma omp for schedule(static)
    for (int c = 0; c < n_cells; ++c)
      if (const auto cell = space().active_cells()[c]; !on_faces)
        {
          if constexpr (!on_faces)
            add(c, Region::material, cell->material_id());
        }
      else if constexpr (on_faces)
        for (const unsigned int f : cell->face_indices())
          if (cell->at_boundary(f))
            add(c, Region::boundary, boundary_id(cell->face(f)), f);
  }
  for (std::size_t i = 0; i < parts.size(); ++i)
    sums[mine[i % mine.size()]].add(parts[i]);
}

template <int dim>
std::vector<double> Evaluation<dim>::results(const Values &values) const
{
  using FE     = dealii::FEValues<dim>;
  using OnFace = dealii::FEFaceValues<dim>;
  std::vector<Sums>  sums(all.size());
  const unsigned int n  = highest_degree(fields) + 1;
  const auto         at = local(values);
  sum_over<FE>(dealii::QGauss<dim>(n), false, at, sums);
  sum_over<FE>(dealii::QGaussLobatto<dim>(n), true, at, sums);
  sum_over<OnFace>(dealii::QGauss<dim - 1>(n), false, at, sums);
  sum_over<OnFace>(dealii::QGaussLobatto<dim - 1>(n), true, at, sums);
  std::vector<double> added, extremes, results;
  for (const Sums &sum : sums)
    {
      added.insert(added.end(), {sum.integral, sum.measure});
      extremes.insert(extremes.end(), {-sum.least, sum.most});
    }
  space().communicator().sum(added.data(), static_cast<int>(added.size()));
  space().communicator().max(extremes.data(), static_cast<int>(extremes.size()));
  for (std::size_t k = 0; k < all.size(); ++k)
    {
      const Kind kind = all[k].statistic->kind;
      results.push_back(all[k].component >= 0 ?
                          functionals.at(all[k].statistic->quantity)(all[k].statistic->id)[all[k].component] :
                        kind == Kind::min  ? -extremes[2 * k] :
                        kind == Kind::max  ? extremes[2 * k + 1] :
                        kind == Kind::mean ? added[2 * k] / added[2 * k + 1] :
                                             added[2 * k]);
    }
  return results;
}

template <int dim>
std::vector<std::vector<double>> Evaluation<dim>::zeros(const Wanted &wanted, const Values &values) const
{
  const auto                                  at = local(values);
  FieldStates<dim, dealii::FEFaceValues<dim>> states(fields, at, mapping, dealii::QGaussLobatto<dim - 1>(2));
  std::vector<double>                         own; // point and value of both ends of each face
  for (int c = 0; c < space().n_cells(); ++c)
    for (const unsigned int f : space().active_cells()[c]->face_indices())
      if (const auto cell = space().active_cells()[c];
          cell->at_boundary(f) && boundary_id(cell->face(f)) == wanted.statistic->id)
        {
          states.reinit(cell, f);
          for (unsigned int q = 0; q < 2; ++q)
            {
              const auto &state = states[q];
              own.insert(own.end(), {state.point[0], state.point[1], wanted.quantity.value(state)});
            }
        }
  std::vector<double> ends;
  for (const auto &of_rank : dealii::Utilities::MPI::all_gather(space().communicator().handle(), own))
    ends.insert(ends.end(), of_rank.begin(), of_rank.end());
  return zeros_between(ends);
}

template <int dim>
void Evaluation<dim>::add_statistics(Statistics::Row &row, const Values &values) const
{
  if (all.empty())
    return;
  const auto numbers = results(values);
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].statistic->kind != Kind::zeros)
      row.emplace_back(all[k].name, numbers[k]);
}

template <int dim>
void Evaluation<dim>::add_statistics(RunRecord &record, const Values &values) const
{
  if (all.empty())
    return;
  const auto numbers = results(values);
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].statistic->kind == Kind::zeros)
      record["statistics"][all[k].name] = zeros(all[k], values);
    else
      record["statistics"][all[k].name] = numbers[k];
}

template <int dim>
void Evaluation<dim>::write_samples(RunRecord &record, const Values &values, const std::string &folder,
                                    const std::function<std::vector<SampleColumn>(std::size_t k)> &more) const
{
  for (std::size_t k = 0; k < samples.size(); ++k)
    {
      auto all_columns = columns(samples[k], values);
      if (more)
        for (auto &column : more(k))
          all_columns.push_back(std::move(column));
      adamant::write_samples(samples[k].at, all_columns, folder, space().communicator().rank() == 0, record);
    }
}

template <int dim>
void Evaluation<dim>::add_to(Statistics::Row &row, const Values &values) const
{
  add_statistics(row, values);
  add_points(row, columns(points, values));
}

template <int dim>
void Evaluation<dim>::add_to(Statistics::Row &row, const Vector<double> &u)
{
  if (!all.empty())
    add_statistics(row, {to_host(u).data()});
  if (points.at.points.empty())
    return;
  if (points_on_device.empty())
    points_on_device = points.evaluations.at(fields[0].space).on(u.device());
  std::vector<SampleColumn> columns;
  add_columns(columns, fields[0].names, points_on_device(u));
  add_points(row, columns);
}

template <int dim>
void Evaluation<dim>::add_to(RunRecord &record, const Values &values, const std::string &folder) const
{
  add_statistics(record, values);
  for (const auto &column : columns(points, values))
    record["at_points"][column.name] = column.values;
  write_samples(record, values, folder);
}

template class Evaluation<2>;
template class Evaluation<3>;
} // namespace adamant
