import fc from 'fast-check'
import { expect, it } from 'vitest'
