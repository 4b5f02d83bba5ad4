#pragma once

#include "base/csr_matrix.h"
#include "base/run_record.h"
#include "discretization/fields/level_space.h"

#include <deal.II/base/point.h>
#include <deal.II/fe/mapping.h>

#include <string>
#include <utility>
#include <vector>

namespace adamant
{
/// The values of scalar functions at points, from the values at a rank's own nodes of one space. All ranks call it
/// together and get the same.
template <int dim>
class PointValues
{
public:
  PointValues() = default; ///< at no points
  /// Throws InputError, naming the parameter `key` and the point, where one lies in no cell.
  PointValues(const std::string &key, const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
              const std::vector<dealii::Point<dim>> &points);

  /// By the rows of `matrix`, those of a point on one rank and empty on the others (points.h).
  PointValues(const Communicator &ranks, CSRMatrix<double> matrix)
    : ranks(ranks)
    , matrix(std::move(matrix))
  {}

  bool                empty() const { return matrix.n_rows == 0; }
  std::vector<double> operator()(const Array<double> &nodal) const;

private:
  Communicator      ranks;
  CSRMatrix<double> matrix;
};

/// n points on the line from (ends[0], ..., ends[dim-1]) to (ends[dim], ...), ends included.
template <int dim>
std::vector<dealii::Point<dim>> points_of_line(const std::vector<double> &ends, unsigned int n);

/// What a line is sampled for, a value for each point.
struct ProfileColumn
{
  std::string         name;
  std::vector<double> values;
  bool                extremes; ///< whether they are recorded
};

/// Writes coordinates and columns of line k as `folder/profile_k.csv`, and the extremes and their places as
/// record["profiles"][k][name]; one rank calls it with `writes`, all of them have the same values.
template <int dim>
void write_profile(std::size_t k, const std::vector<dealii::Point<dim>> &points,
                   const std::vector<ProfileColumn> &columns, const std::string &folder, bool writes,
                   RunRecord &record);

/// Lines along which the last state of scalar functions is sampled.
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
  /// Each line by write_profile.
  void write(const std::vector<Function> &functions, const std::string &folder, RunRecord &record) const;

private:
  struct Line
  {
    std::vector<dealii::Point<dim>> points;
    PointValues<dim>                evaluation;
  };
  Communicator      ranks;
  std::vector<Line> lines;
};
} // namespace adamant
