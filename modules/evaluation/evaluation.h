#pragma once

#include "base/run_record.h"
#include "evaluation/evaluation_parameters.h"
#include "evaluation/point_values.h"
#include "evaluation/samples.h"
#include "fem/spaces/level_space.h"
#include "frame/run_folder.h"

#include <deal.II/base/point.h>
#include <deal.II/base/tensor.h>
#include <deal.II/fe/mapping.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace adamant
{
/// A field that outputs evaluate: the first components of a space, under these names.
template <int dim>
struct EvaluatedField
{
  const LevelSpace<dim>   *space;
  std::vector<std::string> names;        ///< "u_x", "u_y", or "p"
  std::vector<std::string> columns = {}; ///< of statistics.csv, which the program makes of the field itself
};

/// All components of all fields at a point.
template <int dim>
struct PointState
{
  std::vector<double>                 value;
  std::vector<dealii::Tensor<1, dim>> gradient;
  dealii::Point<dim>                  point;
  dealii::Tensor<1, dim>              normal; ///< the outer one, on a boundary
  unsigned int                        material = 0;
  int                                 cell     = -1;       ///< its number in the first field's space
  int                                 level = 0, rank = 0; ///< of the cell, for fields of files alone
  std::optional<double>               dilatation = {};     ///< a projection that replaces the trace of the gradient
};

/// Returns the gradient of the vector that the first dim components are: entry [c][d] is d_d u_c.
template <int dim>
dealii::Tensor<2, dim> vector_gradient(const PointState<dim> &state)
{
  dealii::Tensor<2, dim> gradient;
  for (int c = 0; c < dim; ++c)
    gradient[c] = state.gradient[c];
  return gradient;
}

/// Returns the first dim components.
template <int dim>
dealii::Tensor<1, dim> vector_value(const PointState<dim> &state)
{
  dealii::Tensor<1, dim> value;
  for (int c = 0; c < dim; ++c)
    value[c] = state.value[c];
  return value;
}

/// A number at each point, made of the fields, of which there are statistics. Several threads call `value` at once.
template <int dim>
struct Quantity
{
  std::string                                    name;
  std::function<double(const PointState<dim> &)> value;
  bool                                           on_boundary = false; ///< whether it needs a normal
};

/// Numbers on a boundary that a program computes itself, by the name of their quantity, such as a force's components.
using BoundaryFunctionals = std::map<std::string, std::function<std::vector<double>(unsigned int boundary)>>;

/// Returns the values of fields as Evaluation takes them.
inline std::vector<const double *> pointers(const std::vector<Array<double>> &arrays)
{
  std::vector<const double *> values;
  for (const auto &array : arrays)
    values.push_back(array.data());
  return values;
}

/// Evaluates what the section "Output" asks for, on the host. Values of fields are nodal values of the owned DoFs, one
/// pointer for each field. All ranks call all functions together and get equal values.
///
/// Integrals are by Gauss's rule of degree + 1 points in each direction. Extremes are over the nodes of the cells, or
/// of the boundary's faces; what is made of gradients is taken from each cell.
template <int dim>
class Evaluation
{
public:
  using Values = std::vector<const double *>;

  /// Components of fields are quantities, too. A statistic of "u" is one of u_x, u_y, ... each, where there is no u.
  /// All arguments have to outlive the object, but `quantities`. Throws InputError for a quantity, boundary or material
  /// that there is not, for a column that there is already, and for a point outside of the mesh.
  Evaluation(const EvaluationParameters &parameters, const dealii::Mapping<dim> &mapping,
             std::vector<EvaluatedField<dim>> fields, std::vector<Quantity<dim>> quantities = {},
             BoundaryFunctionals functionals = {});

  /// Adds the statistics and the values at points to a row of statistics.csv.
  void add_to(Statistics::Row &row, const Values &values) const;
  /// Does so for the only field, with the nodal values u on a device. They come to the host for statistics alone.
  void add_to(Statistics::Row &row, const Vector<double> &u);
  /// Adds them to run.json, and writes the files of lines and planes.
  void add_to(RunRecord &record, const Values &values, const std::string &folder) const;

  /// These are parts of the functions above. The row gets no zeros, whose number changes.
  void add_statistics(Statistics::Row &row, const Values &values) const;
  void add_statistics(RunRecord &record, const Values &values) const;
  /// `more(k)` returns further columns of place k of sample_places().
  void write_samples(RunRecord &record, const Values &values, const std::string &folder,
                     const std::function<std::vector<SampleColumn>(std::size_t k)> &more = nullptr) const;

private:
  struct Wanted // one number, of one quantity
  {
    const Statistic *statistic;
    Quantity<dim>    quantity;
    std::string      name;
    int              component = -1; // of a functional of the program; -1: it is none
  };
  struct Place
  {
    SamplePlace<dim>                                       at;
    std::map<const LevelSpace<dim> *, HostPointEvaluation> evaluations; // none where there are no points
  };
  struct Sums // over points
  {
    double integral = 0., measure = 0., least = HUGE_VAL, most = -HUGE_VAL;
    void   add(double value, double weight);
    void   add(const Sums &other);
  };

  void                       add_quantities_of_fields();
  void                       choose(const Statistic &statistic);
  void                       check_regions() const;
  Place                      place(SamplePlace<dim> at) const;
  std::vector<SampleColumn>  columns(const Place &place, const Values &values) const;
  std::vector<Array<double>> local(const Values &values) const;
  template <class FE, class Rule>
  void                             sum_over(const Rule &rule, bool of_nodes, const std::vector<Array<double>> &local,
                                            std::vector<Sums> &sums) const;
  std::vector<double>              results(const Values &values) const; // of all but zeros
  std::vector<std::vector<double>> zeros(const Wanted &wanted, const Values &values) const;

  const LevelSpace<dim> &space() const { return *fields[0].space; } // whose cells are those of all fields

  const EvaluationParameters      &parameters;
  const dealii::Mapping<dim>      &mapping;
  std::vector<EvaluatedField<dim>> fields;
  std::vector<Quantity<dim>>       quantities;
  BoundaryFunctionals              functionals;
  std::vector<Wanted>              all;
  Place                            points;
  PointEvaluation                  points_on_device; // once it has been needed
  std::vector<Place>               samples;
};
} // namespace adamant
