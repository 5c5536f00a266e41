/** Waits that many milliseconds, or until one of the signals aborts. */
export const sleep = (milliseconds: number, ...signals: AbortSignal[]): Promise<void> =>
  new Promise((resolve) => {
    if (signals.some(({ aborted }) => aborted)) return resolve()
    const end = () => {
      clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    for (const signal of signals) signal.addEventListener('abort', end)
  })
