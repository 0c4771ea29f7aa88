"""python3 export.py TOKENS VECTORS.npy VERSION LINES PROJECT: writes the model's file, the module that names it, and vectors for the project's test.

LINES: the output of tokens.ts for the lines of the project's test.
"""
import hashlib
import json
import sys
from pathlib import Path
import numpy as np
from pairs import Pairs

NAME = 'english'
# Each row gets four bits a number and a scale of its own: the one of these 26 scales that loses least.
SCALES = np.linspace(0.5, 1.0, 26)


def quantise(vectors):
    """Returns steps of -7 to 7, and the value of one step for each row."""
    most = np.abs(vectors).max(1, keepdims=True).clip(1e-12) / 7
    best = np.full((len(vectors), 1), np.inf)
    steps, scales = np.zeros(vectors.shape, np.int8), most.copy()
    for part in SCALES:
        scale = (most * part).astype(np.float32)
        cut = np.clip(np.rint(vectors / scale), -7, 7)
        error = ((cut * scale - vectors) ** 2).sum(1, keepdims=True)
        better = error < best
        best = np.where(better, error, best)
        steps, scales = np.where(better, cut, steps).astype(np.int8), np.where(better, scale, scales).astype(np.float32)
    return steps, scales


def file_of(pairs, version, steps, scales):
    """Returns the bytes of the model's file: see README.md, "Layout of the file"."""
    words = '\n'.join(pairs.words).encode()
    header = dict(format=1, name=NAME, version=version, dimensions=steps.shape[1], words=len(pairs.words),
                  phrases=len(pairs.phrases), wordBytes=len(words))
    aligned = lambda part: part + b'\0' * (-len(part) % 4)
    neighbours = np.array([[a, b] for a, b, _ in pairs.phrases], '<u2').tobytes()
    nibbles = (steps + 8).astype(np.uint8)
    rows = nibbles[:, 0::2] | (nibbles[:, 1::2] << 4)
    first = json.dumps(header, separators=(',', ':')).encode() + b'\n'
    return aligned(first) + aligned(words) + aligned(neighbours) + scales.astype('<f4').tobytes() + rows.tobytes()


def expected(lines, vectors):
    """Returns the vectors of the lines, computed from the numbers in the file."""
    sums = Pairs(lines).short.astype(float) @ vectors.astype(float)
    return sums / np.linalg.norm(sums, axis=1, keepdims=True).clip(1e-12)


if __name__ == '__main__':
    tokens, vectors, version, lines, project = sys.argv[1:]
    pairs, project = Pairs(tokens), Path(project)
    steps, scales = quantise(np.load(vectors))
    content = file_of(pairs, int(version), steps, scales)
    (project / 'models' / f'{NAME}.bin').write_bytes(content)
    checksum = hashlib.sha256(content).hexdigest()
    (project / 'src/embed/model/shipped.ts').write_text(f"""/** The model that this version ships. training/export.py writes this file. */
export const SHIPPED = {{
  name: '{NAME}',
  version: {version},
  dimensions: {steps.shape[1]},
  file: '{NAME}.bin',
  sha256: '{checksum}',
}} as const
""")
    (project / 'test/fixtures/model-vectors.f32').write_bytes(expected(lines, steps * scales).astype('<f4').tobytes())
    print(f'{len(content)} bytes, sha256 {checksum}')
