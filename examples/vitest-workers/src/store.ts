interface Options {
  readonly baseUrl: string
  readonly key: string
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** Waits for this number of seconds. */
  readonly wait?: (seconds: number) => Promise<unknown>
}

const sleep = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

/** The client under test, which retries after Retry-After. */
export function createStore({ baseUrl, key, fetch = globalThis.fetch, wait = sleep }: Options) {
  async function send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await fetch(baseUrl + path, { ...init, headers })
    const retryAfter = response.headers.get('retry-after')
    if (retryAfter === null) return response
    await wait(Number(retryAfter))
    return send(path, init)
  }

  return {
    async names(): Promise<string[]> {
      const pets = (await (await send('/pets?limit=100')).json()) as { name: string }[]
      return pets.map(({ name }) => name)
    },
    async add(name: string): Promise<void> {
      await send('/pets', { method: 'POST', body: JSON.stringify({ name, categoryId: 1 }) })
    },
  }
}
