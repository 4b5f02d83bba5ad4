#pragma once

#include "base/array.h"
#include "evaluation/samples.h"
#include "fem/spaces/level_space.h"

#include <deal.II/base/tensor.h>
#include <deal.II/fe/mapping.h>

#include <string>
#include <utility>
#include <vector>

namespace adamant
{
/// Averages over horizontal layers of equal height, on the host. They are exact for functions of degree up to 3 in each
/// direction on boxes with horizontal faces below and above. Other cells are divided by a grid of points whose distance
/// is at most a quarter of a layer's height. All ranks call all functions together.
template <int dim>
class HorizontalAverages
{
public:
  /// Nodal values of spaces on one mesh are averaged, of a bilinear velocity with dim components and of scalars; all
  /// have to outlive the object. There are n layers between the lowest and the highest vertex, along the unit vector
  /// `up`.
  HorizontalAverages(const LevelSpace<dim> &velocity, const std::vector<const LevelSpace<dim> *> &scalars,
                     const dealii::Mapping<dim> &mapping, const dealii::Tensor<1, dim> &up, unsigned int n);

  /// Returns columns with a value for each layer, from below. They are the mean "height" of the layer, the averages of
  /// the scalars under their names, of |u| as "speed", and the geometric average of the cells' "viscosity". There is
  /// one scalar for each space. The values of |u| at the nodes are interpolated. Arguments have values of the own nodes
  /// and cells.
  std::vector<SampleColumn> operator()(const double *u, const double *viscosity,
                                       const std::vector<std::pair<std::string, const double *>> &scalars) const;

private:
  struct Part // of an average: the weight of a node's or a cell's value
  {
    int    layer, place;
    double weight;
  };
  std::vector<double> sums(const std::vector<Part> &parts, const Array<double> &values) const;

  std::vector<const LevelSpace<dim> *> spaces; // the velocity's, and the scalars'
  unsigned int                         n;
  std::vector<double>                  volume, height; // of layers
  std::vector<std::vector<Part>>       of_spaces;      // of local DoFs, the first one of each node
  std::vector<Part>                    of_cells;
};
} // namespace adamant
