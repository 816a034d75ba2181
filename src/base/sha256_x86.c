#include "base/sha256_blocks.h"

#include <immintrin.h>
#include <sys/platform/x86.h>

#define SHA_TARGET __attribute__((target("sha,sse4.1,ssse3")))

/* Four rounds; the words of the schedule are in `w`. */
SHA_TARGET static inline void
rounds(__m128i *abef, __m128i *cdgh, __m128i w, const uint32_t *k)
{
	__m128i x = _mm_add_epi32(w, _mm_loadu_si128((const __m128i *)k));

	*cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, x);
	*abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_shuffle_epi32(x, 0x0e));
}

/* The next four words of the schedule from the sixteen before them. */
SHA_TARGET static inline __m128i
schedule(__m128i w0, __m128i w1, __m128i w2, __m128i w3)
{
	__m128i t = _mm_sha256msg1_epu32(w0, w1);

	t = _mm_add_epi32(t, _mm_alignr_epi8(w3, w2, 4));
	return _mm_sha256msg2_epu32(t, w3);
}

SHA_TARGET static inline __m128i
load_be(const uint8_t *p)
{
	const __m128i swap =
		_mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);

	return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)p), swap);
}

/* The instructions want the words as {a,b,e,f} and {c,d,g,h}, highest first. */
SHA_TARGET static void
blocks_native(uint32_t h[8], const uint8_t *p, size_t count)
{
	__m128i dcba = _mm_loadu_si128((const __m128i *)h);
	__m128i hgfe = _mm_loadu_si128((const __m128i *)(h + 4));
	__m128i cdab = _mm_shuffle_epi32(dcba, 0xb1);
	__m128i efgh = _mm_shuffle_epi32(hgfe, 0x1b);
	__m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
	__m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);

	for (; count > 0; count--, p += 64) {
		__m128i abef_old = abef, cdgh_old = cdgh;
		__m128i w0 = load_be(p), w1 = load_be(p + 16);
		__m128i w2 = load_be(p + 32), w3 = load_be(p + 48);

		for (const uint32_t *k = sha256_k;; k += 16) {
			rounds(&abef, &cdgh, w0, k);
			rounds(&abef, &cdgh, w1, k + 4);
			rounds(&abef, &cdgh, w2, k + 8);
			rounds(&abef, &cdgh, w3, k + 12);
			if (k == sha256_k + 48)
				break;
			w0 = schedule(w0, w1, w2, w3);
			w1 = schedule(w1, w2, w3, w0);
			w2 = schedule(w2, w3, w0, w1);
			w3 = schedule(w3, w0, w1, w2);
		}
		abef = _mm_add_epi32(abef, abef_old);
		cdgh = _mm_add_epi32(cdgh, cdgh_old);
	}

	__m128i feba = _mm_shuffle_epi32(abef, 0x1b);
	__m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);

	_mm_storeu_si128((__m128i *)h, _mm_blend_epi16(feba, dchg, 0xf0));
	_mm_storeu_si128((__m128i *)(h + 4), _mm_alignr_epi8(dchg, feba, 8));
}

/* libc has asked the processor already: in a virtual machine each CPUID leaves
 * the guest, which takes microseconds. */
sha256_blocks_fn *
sha256_blocks_native(void)
{
	if (x86_cpu_active(x86_cpu_SHA) && x86_cpu_active(x86_cpu_SSE4_1) &&
		x86_cpu_active(x86_cpu_SSSE3))
		return blocks_native;
	return NULL;
}
