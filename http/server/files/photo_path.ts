/** The path under which the photo of a user is served to anyone who knows it; null where there is none. */
export function photoPath(sha256: string | null | undefined): string | null {
  return sha256 ? `/widget/photos/${sha256}` : null
}
