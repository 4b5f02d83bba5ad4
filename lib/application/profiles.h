#pragma once

#include "base/csr_matrix.h"
#include "base/run_record.h"
#include "discretization/fields/level_space.h"

#include <deal.II/base/point.h>
#include <deal.II/fe/mapping.h>

#include <string>
#include <vector>

namespace adamant
{
/// The values of scalar functions at points, from the values at a rank's own nodes of one space. All ranks call it
/// together and get the same.
template <int dim>
class PointEvaluation
{
public:
  PointEvaluation() = default; ///< at no points
  /// Throws InputError, naming the point, where one lies in no cell.
  PointEvaluation(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                  const std::vector<dealii::Point<dim>> &points);

  bool                empty() const { return matrix.n_rows == 0; }
  std::vector<double> operator()(const Array<double> &nodal) const;

private:
  Communicator      ranks;
  CSRMatrix<double> matrix;
};

/// Lines along which the last state is sampled.
template <int dim>
class Profiles
{
public:
  /// Each line is given by the coordinates of its first and of its last point, and has n_points, ends included.
  Profiles(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
           const std::vector<std::vector<double>> &lines, unsigned int n_points);

  struct Function
  {
    std::string   name;
    Array<double> nodal;
    bool          extremes; ///< whether they are recorded
  };
  /// Writes line k as `folder/profile_k.csv`, coordinates and functions, and the extremes and their places as
  /// record["profiles"][k][name].
  void write(const std::vector<Function> &functions, const std::string &folder, RunRecord &record) const;

private:
  struct Line
  {
    std::vector<dealii::Point<dim>> points;
    PointEvaluation<dim>            evaluation;
  };
  Communicator      ranks;
  std::vector<Line> lines;
};
} // namespace adamant
