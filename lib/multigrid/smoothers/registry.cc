#include "base/exceptions.h"
#include "multigrid/smoothers/setup.h"

#include <random>

namespace adamant
{
const std::vector<SmootherKind> &smoothers()
{
  static const std::vector<SmootherKind> all = {jacobi_kind(),       block_jacobi_kind(),   line_kind(),
                                                cell_patches_kind(), vertex_patches_kind(), downstream_patches_kind(),
                                                fsai_kind(),         gauss_seidel_kind()};
  return all;
}

const SmootherKind &smoother_kind(const std::string &name)
{
  std::vector<std::string> names;
  for (const auto &kind : smoothers())
    {
      if (kind.name == name)
        return kind;
      names.push_back(kind.name);
    }
  throw InputError("there is no smoother '" + name + "'" + did_you_mean(name, names));
}

template <typename Number>
std::unique_ptr<Smoother<Number>> make_smoother(const std::string &name, const DeviceLevel<Number> &level)
{
  const SmootherKind &kind = smoother_kind(name);
  if (level.rowless() && !kind.matrix)
    throw RunError("smoother '" + name + "' needs the rows of a matrix, and this one stores none");
  return std::get<SmootherKind::Make<Number>>(kind.make)(level);
}

template std::unique_ptr<Smoother<double>> make_smoother(const std::string &, const DeviceLevel<double> &);
template std::unique_ptr<Smoother<float>>  make_smoother(const std::string &, const DeviceLevel<float> &);

Array<double> start_vector(int n)
{
  Array<double> x(n);
  std::mt19937  generator(1);
  for (double &value : x)
    value = 2. * (generator() + 0.5) / 4294967296. - 1.; // the same numbers with every standard library
  return x;
}
} // namespace adamant
