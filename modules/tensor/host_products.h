#pragma once

#include "tensor/dense_products.h"

#include <memory>

namespace adamant
{
namespace host
{
std::shared_ptr<DenseProductsInterface> make_dense_products(int n_threads, Arithmetic arithmetic);
} // namespace host
} // namespace adamant
