/** The client under test: asks again when it is told to wait. */
export class Store {
  constructor(
    private readonly baseUrl: string,
    private readonly key: string,
    private readonly fetch: (url: string, init: RequestInit) => Promise<Response> = globalThis.fetch,
    private readonly wait = (seconds: number): Promise<unknown> =>
      new Promise((resolve) => setTimeout(resolve, seconds * 1000)),
  ) {}

  names = async (): Promise<string[]> => {
    const pets = (await (await this.ask('/pets?limit=100', {})).json()) as { name: string }[]
    return pets.map(({ name }) => name)
  }

  add = async (name: string): Promise<void> => {
    await this.ask('/pets', { method: 'POST', body: JSON.stringify({ name, categoryId: 1 }) })
  }

  private async ask(path: string, init: RequestInit): Promise<Response> {
    const headers = { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' }
    const response = await this.fetch(this.baseUrl + path, { ...init, headers })
    const retryAfter = response.headers.get('retry-after')
    if (retryAfter === null) return response
    await this.wait(Number(retryAfter))
    return this.ask(path, init)
  }
}
