/** A function that is given the same value again and again, as its text or number: what it made last is kept. */
export function rememberLast<Given extends number | string, Made>(
  make: (given: Given) => Made,
): (given: Given) => Made {
  let last: { readonly given: Given; readonly made: Made } | undefined
  return (given) => {
    if (last?.given !== given) last = { given, made: make(given) }
    return last.made
  }
}
