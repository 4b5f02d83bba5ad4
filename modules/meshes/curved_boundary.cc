#include "meshes/curved_boundary.h"

#include "base/exceptions.h"
#include "expressions/expressions.h"
#include "frame/parameters/parameters.h"

#include <deal.II/base/config.h>
#include <deal.II/base/function.h>
#include <deal.II/base/utilities.h>
#include <deal.II/grid/manifold_lib.h>
#ifdef DEAL_II_WITH_OPENCASCADE
#include <deal.II/opencascade/manifold_lib.h>
#include <deal.II/opencascade/utilities.h>
#endif

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <vector>

namespace adamant
{
namespace
{
// The points where a function f is zero. A new one is the mean of others, moved along the gradient of f by Newton's
// method.
template <int dim>
class ZeroSet : public dealii::Manifold<dim>
{
public:
  ZeroSet(const std::string &key, const std::string &f)
    : key(key)
    , text(f)
    , f(parse_function<dim>(key, f, 1))
  {}
  std::unique_ptr<dealii::Manifold<dim>> clone() const override { return std::make_unique<ZeroSet>(key, text); }

  using Points  = dealii::ArrayView<const dealii::Point<dim>>;
  using Weights = dealii::ArrayView<const double>;
  dealii::Point<dim> get_new_point(const Points &points, const Weights &weights) const override
  {
    dealii::Point<dim> x;
    double             size = 0.;
    for (std::size_t i = 0; i < points.size(); ++i)
      {
        x += weights[i] * points[i];
        size = std::max(size, points[i].distance(points[0]));
      }
    double last = size; // the length of the last step; at the end rounding is left, which does not shrink
    for (unsigned int step = 0; step < 50; ++step)
      {
        const auto   gradient = gradient_at(x, 1e-6 * size);
        const double slope2   = gradient.norm_square();
        const auto   move     = f->value(x) / slope2 * gradient;
        const double length   = move.norm();
        if (length <= 1e-14 * (size + x.norm()) || (length <= 1e-10 * size && length >= 0.5 * last))
          return x;
        last = length;
        x -= move;
      }
    std::ostringstream place;
    place << points[0];
    throw InputError(key + ": Newton's method finds no point near (" + place.str() + ") where '" + text + "' is zero");
  }

private:
  dealii::Tensor<1, dim> gradient_at(const dealii::Point<dim> &x, double h) const
  {
    dealii::Tensor<1, dim> gradient;
    for (unsigned int d = 0; d < dim; ++d)
      {
        dealii::Tensor<1, dim> e;
        e[d]        = h;
        gradient[d] = (f->value(x + e) - f->value(x - e)) / (2. * h);
      }
    return gradient;
  }

  const std::string                                  key, text;
  const std::shared_ptr<const dealii::Function<dim>> f;
};

// (x / a)^2 + ... = 1, with the centre and half axes of an ellipse or ellipsoid.
std::string ellipsoid(const std::vector<double> &numbers)
{
  const std::size_t  dim = numbers.size() / 2;
  std::ostringstream f;
  f.precision(17);
  for (std::size_t d = 0; d < dim; ++d)
    f << "(("
      << "xyz"[d] << "-(" << numbers[d] << "))/(" << numbers[dim + d] << "))^2+";
  f << "(-1)";
  return f.str();
}

// The nearest points of a face of a CAD file, or in two dimensions of an edge: "file" where it has one, or "file; k".
template <int dim>
std::unique_ptr<dealii::Manifold<dim>> cad_manifold(const std::string &key, const std::string &text,
                                                    const std::string &folder)
{
  const auto        words = dealii::Utilities::split_string_list(text, ';');
  const std::string name  = words.empty() ? "" : words[0];
  const auto        path  = std::filesystem::path(folder) / name; // folder counts for relative names
  const auto        kind  = path.extension().string();
  const bool        step = kind == ".step" || kind == ".stp", iges = kind == ".iges" || kind == ".igs";
  require(step || iges, key, ": 'cad; ", text, "' names no file that ends in .step, .stp, .iges or .igs");
  require(bool(std::ifstream(path)), key, ": the CAD file '", path.string(), "' cannot be read");
#ifdef DEAL_II_WITH_OPENCASCADE
  std::vector<TopoDS_Face>    faces;
  std::vector<TopoDS_Edge>    edges;
  std::vector<TopoDS_Vertex>  vertices;
  const std::ostringstream    messages; // OpenCASCADE tells std::cout what it reads
  const std::shared_ptr<void> at_the_end(nullptr,
                                         [shown = std::cout.rdbuf(messages.rdbuf())](auto) { std::cout.rdbuf(shown); });
  try
    {
      namespace CAD = dealii::OpenCASCADE;
      CAD::extract_geometrical_shapes(step ? CAD::read_STEP(path, 1.) : CAD::read_IGES(path, 1.), faces, edges,
                                      vertices);
    }
  catch (const dealii::ExceptionBase &error)
    {
      throw InputError(key + ": the CAD file '" + path.string() + "' cannot be read: " + message_of(error));
    }
  const std::size_t n = dim == 3 ? faces.size() : edges.size(),
                    k = words.size() > 1 ? split_numbers(words[1]).at(0) : 1;
  require(words.size() < 3 && k >= 1 && k <= n && (words.size() == 2 || n == 1), key, ": 'cad; ", text,
          "' should name one of the ", n, dim == 3 ? " faces" : " edges", " of the file, as 'cad; ", name, "; 1' does");
  const TopoDS_Shape shape = dim == 3 ? TopoDS_Shape(faces[k - 1]) : TopoDS_Shape(edges[k - 1]);
  return std::make_unique<dealii::OpenCASCADE::NormalProjectionManifold<dim, dim>>(shape);
#else
  throw InputError(key + ": 'cad; " + text + "' needs OpenCASCADE, without which this deal.II was built");
#endif
}
} // namespace

template <int dim>
std::unique_ptr<dealii::Manifold<dim>> manifold_of(const std::string &text, const std::string &folder)
{
  const std::string key       = "Mesh/Curved boundaries";
  const auto        semicolon = text.find(';');
  const auto        kind      = dealii::Utilities::trim(text.substr(0, semicolon));
  if (kind == "surface" && semicolon != std::string::npos)
    return std::make_unique<ZeroSet<dim>>(key, text.substr(semicolon + 1));
  if (kind == "cad" && semicolon != std::string::npos)
    return cad_manifold<dim>(key, dealii::Utilities::trim(text.substr(semicolon + 1)), folder);
  const auto numbers = split_numbers(semicolon == std::string::npos ? "" : text.substr(semicolon + 1));
  const auto point   = [&](std::size_t first) {
    dealii::Point<dim> p;
    std::copy_n(numbers.begin() + first, dim, &p[0]);
    return p;
  };
  if ((kind == "sphere" || (kind == "circle" && dim == 2)) && numbers.size() == dim)
    return std::make_unique<dealii::SphericalManifold<dim>>(point(0));
  if (kind == (dim == 2 ? "ellipse" : "ellipsoid") && numbers.size() == 2 * dim &&
      std::all_of(numbers.begin() + dim, numbers.end(), [](double half_axis) { return half_axis > 0.; }))
    return std::make_unique<ZeroSet<dim>>(key, ellipsoid(numbers));
  if constexpr (dim == 3)
    if (kind == "cylinder" && numbers.size() == 6 && point(3).norm() > 0.)
      return std::make_unique<dealii::CylindricalManifold<dim>>(point(3), point(0));
  throw InputError("Mesh/Curved boundaries: '" + text + "' should be " +
                   (dim == 2 ? "'circle; x; y' with its centre, 'ellipse; x; y; a; b' with its half axes" :
                               "'sphere; x; y; z' with its centre, 'ellipsoid; x; y; z; a; b; c' with its half axes, "
                               "'cylinder; x; y; z; d_x; d_y; d_z' with a point of its axis and its direction") +
                   ", 'surface; f' with an expression that is zero there, or 'cad; file.step' of one " +
                   (dim == 2 ? "edge" : "face"));
}

template std::unique_ptr<dealii::Manifold<2>> manifold_of<2>(const std::string &, const std::string &);
template std::unique_ptr<dealii::Manifold<3>> manifold_of<3>(const std::string &, const std::string &);
} // namespace adamant
