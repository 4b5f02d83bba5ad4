#pragma once

#include <string>
#include <vector>

namespace adamant::test
{
/// Expressions of muParser as deal.II has it: every operator and function, alone and where precedence and grouping count.
inline const std::vector<std::string> expressions = {
  "x", "-x", "+x", "pi", "2", "2.5e-3", ".5", "5.", "1e3", "1.e-2", "x+y", "x-y", "x-y-z", "x-(y-z)", "x*y", "x/(2+y)", "x/4/2",
  "x/(4/2)", "-x^2", "-2^2", "2^3^2", "(2^3)^2", "2^-2*3", "2^-x", "2^-x^2", "-2^-2", "x*-y", "x--y", "x^2", "(x+y)^2", "x^3",
  "(x*y-1)^3", "y^4", "(x-z)^4", "(2+x)^y", "(2+x)^2.5", "x^2^1", "2+3*x^2", "2*x+3*x", "x<y", "x>y", "x<=y", "x>=y", "x==y",
  "x==x", "x!=y", "x!=x", "x<y<z", "1+(x<y)*2", "(x<y)&(y<z)", "x<y & y<z", "(x<y)|(y<z)", "x<y | y<z & x<z", "0.4|0", "0.6|0",
  "0.6&-0.6", "(x<y)&&(y<z)", "(x<y)||(y<z)", "(x>0)||(y>0)&&(z>0)", "x<y ? 1 : 2", "x<y ? y<z ? 1 : 2 : 3",
  "x<y ? 1 : y<z ? 2 : 3", "0.1 ? x : y", "(x<0 ? -1 : 1)*y", "if(x<y, z, 2*z)", "if(0.4, 1, 2)", "if(-0.6, 1, 2)", "sin(x)",
  "cos(x)", "tan(x)", "asin(x/4)", "acos(x/4)", "atan(x)", "atan2(x,y)", "sinh(x)", "cosh(x)", "tanh(x)", "asinh(x)",
  "acosh(1+x^2)", "atanh(x/4)", "log2(1+x^2)", "log10(1+x^2)", "log(1+x^2)", "ln(1+x^2)", "exp(x)", "sqrt(x^2+1)", "sign(x)",
  "sign(0)", "rint(x)", "rint(2.5)", "rint(-2.5)", "abs(x)", "abs(-0.5)", "sum(x)", "sum(x,y,z)", "avg(x,y,z,t)", "avg(x)",
  "min(x)", "min(x,y,z,t)", "max(x,y,z)", "max(min(x,y),min(y,z),min(z,x))", "int(x)", "int(2.5)", "int(-2.5)", "ceil(x)",
  "floor(x)", "pow(2+x,y)", "erfc(x)", "cot(1+x^2)", "csc(1+x^2)", "sec(x/4)", "2*sin (x)+ cos( y )", "cot(x)^2", "-csc(2)^2",
  "exp(-0.25*((0.5+0.25*cos(0.5*pi*t)-x)^2+(0.5+0.25*cos(0.5*pi*t)-y)^2))", "((((x))))+t*(1-t)"};

/// What muParser accepts, but the GPU has no counterpart of.
inline const std::vector<std::string> untranslatable = {"rand()", "rand_seed(1)", "x=3", "1,2", "_pi", "_e", "0.5&&2"};
} // namespace adamant::test
