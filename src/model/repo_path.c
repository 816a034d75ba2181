#include "model/repo_path.h"

const char *
repo_path_fault(struct str path)
{
	struct str rest = path;

	if (path.len == 0)
		return "is no path";
	if (path.ptr[0] == '/')
		return "is not relative to the repository";
	while (rest.ptr != NULL) {
		struct str segment = str_cut(&rest, '/');

		if (segment.len == 0)
			return "has an empty path segment";
		if (str_eq(segment, STR(".")) || str_eq(segment, STR("..")))
			return "has a '.' or '..' segment";
	}
	return NULL;
}
