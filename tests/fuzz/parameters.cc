// The parameter layer fed with anything: a file is read and checked, or refused with an InputError. The parameters
// belong to the Navier-Stokes program; they have lists, maps and expressions. What is read as an expression is
// translated for the GPU, too.
#include "apps/navier_stokes/parameters.h"
#include "base/exceptions.h"
#include "coefficients/translation.h"
#include "frame/parameters/parameters.h"

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, std::size_t size)
{
  static const std::string file = "/tmp/adamant_fuzz_" + std::to_string(getpid()) + ".prm";
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char *>(data), static_cast<std::streamsize>(size));
  dealii::ParameterAcceptor::clear();
  const navier_stokes::Parameters parameters;
  adamant::CommandLine            line;
  line.parameter_file = file;
  try
    {
      adamant::read_parameters(line);
      parameters.check();
      adamant::point_function({parameters.problem.initial_velocity});
    }
  catch (const adamant::InputError &)
    {}
  catch (const adamant::RunError &) // no translation
    {}
  return 0;
}

extern "C" int LLVMFuzzerInitialize(int *, char ***)
{
  std::atexit([] { unlink(("/tmp/adamant_fuzz_" + std::to_string(getpid()) + ".prm").c_str()); });
  return 0;
}
