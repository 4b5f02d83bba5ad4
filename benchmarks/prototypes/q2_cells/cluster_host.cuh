template <class T> void run_clusters(const char *what, int base, int LF) {
  const Mesh M(base, LF); const int nn = M.nn, nc = M.cells.size(), top = 2 << LF; const long size = 3L * nn; const Modes<T> K = make_modes<T>();
  auto mask_of = [&](int n) { const auto &p = M.at[n]; int f = 0; if (p[0] == 0 || p[0] == top) f |= 1; if (p[1] == 0) f |= 7; if (p[2] == 0) f |= 4; return f; };
  int hanging = 0, with = 0; for (auto &m : M.masters) hanging += !m.empty(); for (auto &c : M.nodes) { bool h = false; for (int n : c) h |= !M.masters[n].empty(); with += h; }
  printf("%s: %d cells, %d nodes, %d hang, %d cells with hanging nodes\n", what, nc, nn, hanging, with);
  std::vector<int> number; std::vector<double> hx, hb(size), hD(size), hd(size), e(nc), xr(size), yr(size, 0.);
  std::mt19937 rng(1); std::uniform_real_distribution<double> U(-1, 1); auto round = [](double v) { return double(T(v)); };
  hx.resize(size); for (auto &v : hx) v = round(U(rng)); for (auto &v : hb) v = round(U(rng)); for (auto &v : hD) v = round(1 + .5 * U(rng)); for (auto &v : hd) v = round(U(rng)); for (auto &v : e) v = round(std::exp(2 * U(rng)));
  const T *x = nullptr; T *b = upload<T>(hb), *dinv = upload<T>(hD), *d = upload<T>(hd), *eta, *xn, *y; CK(cudaMalloc(&xn, size * sizeof(T))); CK(cudaMalloc(&y, size * sizeof(T)));
  { std::vector<double> s(nc); for (int c = 0; c < nc; ++c) s[c] = e[c] * std::pow(2., 3 - M.cells[c].l); eta = upload<T>(s); }
  x = upload<T>(hx);
  for (int halo = 0; halo < 2; ++halo) {
    const int CT = halo ? 128 : 64; Clusters<T> C(M, halo, CT, number, mask_of);
    if (halo == 0) { // reference, in the numbers of the vectors
      const Reference R(1); std::vector<double> u(size), r(size, 0.);
      for (int n = 0; n < nn; ++n) if (M.masters[n].empty()) for (int c = 0; c < 3; ++c) u[3 * n + c] = mask_of(n) >> c & 1 ? 0 : hx[3L * number[n] + c];
      for (int n = 0; n < nn; ++n) for (auto &m : M.masters[n]) for (int c = 0; c < 3; ++c) u[3 * n + c] += m.second * u[3 * m.first + c];
      std::vector<double> all(size_t(nc) * 81); parallel(nc, [&](int k) { double uu[27][3], rr[27][3], ee[27]; for (int a = 0; a < 27; ++a) { ee[a] = e[k] * std::pow(2., 3 - M.cells[k].l); for (int c = 0; c < 3; ++c) uu[a][c] = u[3 * M.nodes[k][a] + c]; } R.cell(uu, ee, rr); for (int a = 0; a < 27; ++a) for (int c = 0; c < 3; ++c) all[size_t(k) * 81 + 3 * a + c] = rr[a][c]; });
      for (int k = 0; k < nc; ++k) for (int a = 0; a < 27; ++a) for (int c = 0; c < 3; ++c) r[3 * M.nodes[k][a] + c] += all[size_t(k) * 81 + 3 * a + c];
      for (int n = 0; n < nn; ++n) for (auto &m : M.masters[n]) for (int c = 0; c < 3; ++c) r[3 * m.first + c] += m.second * r[3 * n + c];
      for (int n = 0; n < nn; ++n) for (int c = 0; c < 3; ++c) { const long i = 3L * number[n] + c; yr[i] = !M.masters[n].empty() || (mask_of(n) >> c & 1) ? hx[i] : r[3 * n + c]; }
    }
    auto launch = [&](cudaStream_t s, const auto &finish) {
      typedef std::decay_t<decltype(finish)> F;
      if (halo) { const int bytes = (81 * 133 + 48 * 128 + 3 * C.V.NP) * sizeof(T); auto k = cluster<T, 128, sizeof(T) == 4 ? 2 : 1, F>; CK(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)); k<<<C.heads.size(), 384, bytes, s>>>(C.V, K, eta, x, C.partial, finish); }
      else { const int bytes = (81 * 69 + 48 * 64 + 3 * C.V.NP) * sizeof(T); auto k = cluster<T, 64, sizeof(T) == 4 ? 4 : 2, F>; CK(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)); k<<<C.heads.size(), 192, bytes, s>>>(C.V, K, eta, x, C.partial, finish);
        const int n = C.border_entries.size(); border<T, F><<<(n + 255) / 256, 256, 0, s>>>(n, C.d_border, C.d_start, C.partial, C.d_slots, finish); }
      CK(cudaGetLastError());
    };
    const Product<T> P{y, x}; const Cheb<T> Ch{xn, x, b, dinv, d, T(.5), T(.3)};
    CK(cudaMemset(y, 255, size * sizeof(T))); launch(cudaStream_t(0), P); CK(cudaDeviceSynchronize()); const auto y1 = download(y, size);
    { std::vector<T> w(hd.begin(), hd.end()); CK(cudaMemcpy(d, w.data(), size * sizeof(T), cudaMemcpyHostToDevice)); }
    CK(cudaMemset(xn, 255, size * sizeof(T))); launch(cudaStream_t(0), Ch); CK(cudaDeviceSynchronize()); const auto x1 = download(xn, size);
    for (long i = 0; i < size; ++i) xr[i] = hx[i] + .5 * hd[i] + double(T(.3)) * hD[i] * (hb[i] - yr[i]);
    auto difference = [&](const std::vector<T> &v, const std::vector<double> &w) { double m = 0, s = 0; for (long i = 0; i < size; ++i) { const double q = std::fabs(double(v[i]) - w[i]); if (!(q <= 1e300)) return 1e300; m = std::max(m, q); s = std::max(s, std::fabs(w[i])); } return m / s; };
    const double tp = time_graph([&](cudaStream_t s) { launch(s, P); }), tc = time_graph([&](cudaStream_t s) { launch(s, Ch); }); const auto y2 = download(y, size);
    printf("%s %-14s %s: product %7.1f us step %7.1f us  error %.1e %.1e same bits %d; %zu clusters, %zu tables, %.2f cells taken a cell, %d local nodes at most, %d partial sums, %.1f B an unknown, set-up %.2f s\n", sizeof(T) == 4 ? "float " : "double", what, halo ? "halo" : "parts", tp, tc, difference(y1, yr), difference(x1, xr), !memcmp(y1.data(), y2.data(), size * sizeof(T)), C.heads.size(), C.tables.size(), C.taken / nc, C.NP, C.n_partial, C.bytes() / size, C.seconds); fflush(stdout);
  }
}
