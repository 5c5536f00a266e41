const DEFAULT_PORT = 4010

/** The address at which a sandbox is reached, as documents, recordings and HAR files show it. */
export class Origin {
  #url: string
  #isListening = false

  /** `replayed`: the address of the recorded sandbox, which is valid while its recording is replayed. */
  constructor(port: number, replayed?: string) {
    this.#url = replayed ?? `http://localhost:${port || DEFAULT_PORT}`
  }

  readonly url = (): string => this.#url

  /** The sandbox listens on its own address. */
  readonly listening = (url: string): void => {
    this.#isListening = true
    this.#url = url
  }

  /** Another server passes requests on to the sandbox; an address of the sandbox's own goes first. */
  readonly mounted = (url: string): void => {
    if (!this.#isListening) this.#url = url
  }
}
