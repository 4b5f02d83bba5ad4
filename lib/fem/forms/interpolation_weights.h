#pragma once

#include "base/csr/csr_matrix.h"

#include <algorithm>
#include <vector>

namespace adamant
{
/// Numbers the different weights of interpolation at hanging nodes, which are the entries of H. The first weight is 1.
class InterpolationWeights
{
public:
  explicit InterpolationWeights(const CSRMatrix<double> &H)
  {
    for (const double weight : H.value)
      if (weight != values.back() && std::find(values.begin(), values.end(), weight) == values.end())
        values.push_back(weight);
  }
  int number_of(double weight) const
  {
    return static_cast<int>(std::find(values.begin(), values.end(), weight) - values.begin());
  }

  std::vector<double> values = {1.};
};
} // namespace adamant
