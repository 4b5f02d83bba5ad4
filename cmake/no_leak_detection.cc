// Linked into programs that start MPI, when they are compiled with the address sanitizer: MPI, and the modules it loads and
// unloads, keep memory until the process ends, and what is unloaded cannot be named in a suppression file.
extern "C" const char *__asan_default_options()
{
  return "detect_leaks=0";
}
