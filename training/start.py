"""python3 start.py TOKENS OUT.npy: makes the initial word vectors.

They have two parts: GloVe's vectors (Pennington, Socher, Manning 2014), which know everyday language, and vectors from the words that stand close
together in the pairs (Levy and Goldberg 2014: PPMI and its singular vectors), which know the subjects of the pairs.
"""
import sys
import numpy as np
import scipy.sparse as sp
from pairs import Pairs

DIMENSIONS = 156
GLOVE_DIMENSIONS = 100
# Weight of the pairs' part, relative to GloVe's.
SHARE = 0.7
WINDOW = 5
# Computes more singular vectors than are kept, so that the last kept ones are good too (Halko, Martinsson, Tropp 2011).
SPARE, ROUNDS = 32, 3


def stream(pairs):
    """Returns all different texts, with gaps between them that no window spans."""
    seen, parts, gap = set(), [], np.full(WINDOW, -1, np.int32)
    for text in pairs.texts():
        if len(text) > 1 and (key := text.tobytes()) not in seen:
            seen.add(key)
            parts += [text, gap]
    return np.concatenate(parts)


def neighbours(text, size):
    total = sp.csr_matrix((size, size), dtype=np.float32)
    for distance in range(1, WINDOW + 1):
        first, second = text[:-distance], text[distance:]
        there = (first >= 0) & (second >= 0)
        weight = np.full(there.sum(), (WINDOW + 1 - distance) / WINDOW, np.float32)
        total = total + sp.coo_matrix((weight, (first[there], second[there])), shape=(size, size)).tocsr()
    return (total + total.T).tocoo()


def ppmi(counts):
    often = counts.data >= 1
    row, column, count = counts.row[often], counts.col[often], counts.data[often]
    sums = np.bincount(row, count, counts.shape[0])
    context = sums**0.75
    information = np.log(count / (sums[row] * (context / context.sum())[column]))
    positive = information > 0
    return sp.csr_matrix((information[positive].astype(np.float32), (row[positive], column[positive])), shape=counts.shape)


def singular(matrix):
    transposed = matrix.T.tocsr()
    basis = np.random.RandomState(1).randn(matrix.shape[0], DIMENSIONS + SPARE).astype(np.float32)
    for _ in range(ROUNDS):
        basis = np.linalg.qr(matrix @ basis)[0]
        basis = np.linalg.qr(transposed @ basis)[0]
    basis = np.linalg.qr(matrix @ basis)[0]
    small = (transposed @ basis).T
    left, squares, _ = np.linalg.svd(small @ small.T)
    return (basis @ left)[:, :DIMENSIONS] * squares[:DIMENSIONS] ** 0.25


def glove(tokens):
    """Returns GloVe's vectors without what all words have in common (Mu and Viswanath 2018: all but the top)."""
    vectors = np.fromfile(tokens + '.glove', np.float32).reshape(-1, GLOVE_DIMENSIONS)
    there = vectors.any(1)
    known = vectors[there] - vectors[there].mean(0)
    top = np.linalg.svd(known, full_matrices=False)[2][:2]
    vectors = np.zeros_like(vectors)
    vectors[there] = unit(known - known @ top.T @ top)
    return vectors


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True).clip(1e-6)


if __name__ == '__main__':
    tokens, out = sys.argv[1:]
    pairs = Pairs(tokens)
    vectors = singular(ppmi(neighbours(stream(pairs), len(pairs.words))))
    np.save(out, np.concatenate([glove(tokens), SHARE * unit(vectors)], axis=1).astype(np.float32))
