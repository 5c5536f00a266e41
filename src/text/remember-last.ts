/** A function that keeps its last result, for arguments that repeat. */
export function rememberLast<Given extends number | string | object, Made>(
  make: (given: Given) => Made,
): (given: Given) => Made {
  let last: { readonly given: Given; readonly made: Made } | undefined
  return (given) => {
    if (last?.given !== given) last = { given, made: make(given) }
    return last.made
  }
}
