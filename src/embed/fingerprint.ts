/** Everything that makes the vectors of an Ollama model comparable. */
export interface OllamaFingerprint {
  /** Without `:latest`. */
  model: string
  digest: string
  templateVersion: number
  dimensions: number
}

export function formatOllamaFingerprint({ model, digest, templateVersion, dimensions }: OllamaFingerprint): string {
  return `ollama:${model}@${digest}#template${templateVersion}:${dimensions}`
}

/** Returns null for the fingerprint of another kind of embedder. */
export function parseOllamaFingerprint(text: string): OllamaFingerprint | null {
  const match = /^ollama:(?<model>.+)@(?<digest>[^@#]+)#template(?<template>\d+):(?<dimensions>\d+)$/.exec(text)
  if (match === null) return null
  const { model, digest, template, dimensions } = match.groups as Record<'model' | 'digest' | 'template' | 'dimensions', string>
  return { model, digest, templateVersion: Number(template), dimensions: Number(dimensions) }
}
