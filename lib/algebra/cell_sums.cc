#include "algebra/cell_sums.h"

#include "base/csr/csr_operations.h"
#include "base/exceptions.h"

#include <string>
#include <type_traits>

namespace adamant
{
namespace
{
class CellSumsMatrix : public MatrixStorage<double>
{
public:
  CellSumsMatrix(const Device &device, const CellSums &sums)
    : device(device)
    , height(sums.height)
    , width(sums.width)
    , shift(sums.shift)
    , plan(sums.plan)
    , start(device, sums.start)
    , place(device, sums.place)
    , table(device, sums.table)
    , weight(device, sums.weight)
    , weights(device, sums.weights)
    , local(device, sums.local)
  {
    const int n_local = static_cast<int>(sums.start.size()) - 1;
    n_rows            = plan ? plan->n_owned : n_local;
    n_cols            = to_index(std::size_t(sums.n_cells) * width, "columns of sums over cells");
    if (plan)
      {
        of_others = Vector<double>(device, plan->n_ghosts());
        add_up    = {device, sum_of_ghosts(std::make_shared<const ExchangePlan>(reversed(*plan)), plan->sent, n_rows)};
      }
  }

  void multiply(double a, const double *x, double b, double *y) const override
  {
    if (plan)
      sum(n_rows, plan->n_ghosts(), a, x, 0., of_others.data());
    sum(0, n_rows, a, x, b, y);
    if (plan)
      add_up.storage().multiply(1., of_others.data(), 1., y);
  }

  std::size_t bytes() const override
  {
    return sizeof(int) * (std::size_t(start.size()) + place.size() + table.size()) +
           sizeof(unsigned short) * weight.size() + sizeof(double) * (std::size_t(weights.size()) + local.size());
  }
  std::string format() const override
  {
    return "sums over cells, local matrices of " + std::to_string(height) + " x " + std::to_string(width);
  }

private:
  // Of n rows from the first one on; y is that of the first row.
  void sum(int first, int n, double a, const double *x, double b, double *y) const
  {
    const auto with_width = [&](auto known) {
      device.for_each(n, SumOverCells<decltype(known)::value>{height, width, shift, start.data() + first, place.data(),
                                                              weight.size() > 0 ? weight.data() : nullptr,
                                                              weights.data(), local.data(),
                                                              table.size() > 0 ? table.data() : nullptr, a, b, x, y});
    };
    switch (width)
      {
        case 4: return with_width(std::integral_constant<int, 4>());
        case 8: return with_width(std::integral_constant<int, 8>());
        case 9: return with_width(std::integral_constant<int, 9>());
        case 27: return with_width(std::integral_constant<int, 27>());
        default: return with_width(std::integral_constant<int, 0>());
      }
  }

  Device                              device;
  int                                 height, width, shift;
  std::shared_ptr<const ExchangePlan> plan;
  List<int>                           start, place, table;
  List<unsigned short>                weight;
  List<double>                        weights, local;
  mutable Vector<double>              of_others; // of rows that they own
  Matrix<double>                      add_up;
};
} // namespace

Matrix<double> make_matrix(const Device &device, const CellSums &sums)
{
  return Matrix<double>(std::make_shared<CellSumsMatrix>(device, sums));
}
} // namespace adamant
