# format.sh SOURCE: every file of C and C++ is as clang-format leaves it, by .clang-format. Versions of it
# differ in details, so one is meant, that of Debian 12. Public headers are laid out by hand.
cd "$1" || exit 1
version=$(clang-format --version 2>/dev/null) || { echo "skipped: there is no clang-format here"; exit 77; }
[[ $version == *" version 14."* ]] || { echo "skipped: $version, not 14"; exit 77; }

mapfile -t files < <(find dart-base dart-mpi dart-shmem launch dart-check bench examples test tools trace \
  -name '*.[ch]' -o -name '*.cc')
((${#files[@]} > 200)) || { echo "few files were found: ${#files[@]}"; exit 1; }
clang-format --dry-run --Werror "${files[@]}"
