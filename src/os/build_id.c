#include "os/build_id.h"

#include <elf.h>
#include <link.h>
#include <string.h>

static size_t
padded(size_t len, size_t align)
{
	return (len + align - 1) / align * align;
}

struct str
build_id_find(struct str notes, size_t align)
{
	Elf64_Nhdr head;

	while (notes.len > sizeof(head)) {
		struct str name, value;
		size_t at, end;

		memcpy(&head, notes.ptr, sizeof(head));
		name = str_part(notes, sizeof(head), head.n_namesz);
		at = padded(sizeof(head) + (size_t)head.n_namesz, align);
		end = at + head.n_descsz;
		if (end > notes.len)
			break;
		value = str_part(notes, at, head.n_descsz);
		if (head.n_type == NT_GNU_BUILD_ID &&
			str_eq(name, (struct str){ "GNU", 4 }) &&
			value.len >= BUILD_ID_BYTES_MIN &&
			value.len <= BUILD_ID_BYTES_MAX)
			return value;
		notes = str_part(notes, padded(end, align), notes.len);
	}
	return STR("");
}

/* The program itself is the first object: dl_iterate_phdr(3). */
static int
look(struct dl_phdr_info *info, size_t size, void *data)
{
	struct str *found = data;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum && found->len == 0; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_NOTE) {
			*found = build_id_find(
				(struct str){ (const char *)(info->dlpi_addr +
						      p->p_vaddr),
					p->p_memsz },
				p->p_align == 8 ? 8 : 4);
		}
	}
	return 1;
}

struct str
build_id_own(void)
{
	struct str found = STR("");

	(void)dl_iterate_phdr(look, &found);
	return found;
}
