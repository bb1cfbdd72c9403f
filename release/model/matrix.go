package main

import (
	"iter"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// matrix has its numbers row by row.
type matrix struct {
	data    []float32
	columns int
}

func newMatrix(rows, columns int) matrix { return matrix{make([]float32, rows*columns), columns} }

func (m matrix) rows() int { return len(m.data) / m.columns }

func (m matrix) row(i int) []float32 { return m.data[i*m.columns : (i+1)*m.columns] }

// all yields each row with its number.
func (m matrix) all() iter.Seq2[int, []float32] {
	return func(yield func(int, []float32) bool) {
		for i := range m.rows() {
			if !yield(i, m.row(i)) {
				return
			}
		}
	}
}

// add adds the numbers of another matrix of the same shape.
func (m matrix) add(other matrix) { axpy(1, other.data, m.data) }

func (m matrix) normalizeRows() {
	for _, row := range m.all() {
		if length := norm(row); length > 0 {
			scale(row, 1/length)
		}
	}
}

func (m matrix) blas() blas32.General {
	return blas32.General{Rows: m.rows(), Cols: m.columns, Stride: m.columns, Data: m.data}
}

// multiply returns a·b. Gonum sums each number of the product in one order, on however many processors.
func multiply(a, b matrix) matrix {
	return product(blas.NoTrans, blas.NoTrans, a, b, a.rows(), b.columns)
}

// multiplyT returns a·bᵀ.
func multiplyT(a, b matrix) matrix {
	return product(blas.NoTrans, blas.Trans, a, b, a.rows(), b.rows())
}

// tMultiply returns aᵀ·b.
func tMultiply(a, b matrix) matrix {
	return product(blas.Trans, blas.NoTrans, a, b, a.columns, b.columns)
}

func product(ofA, ofB blas.Transpose, a, b matrix, rows, columns int) matrix {
	out := newMatrix(rows, columns)
	blas32.Gemm(ofA, ofB, 1, a.blas(), b.blas(), 0, out.blas())
	return out
}

// axpy adds a multiple of x to y.
func axpy(factor float32, x, y []float32) {
	blas32.Axpy(factor, vector(x), vector(y))
}

func dot(x, y []float32) float32 { return blas32.Dot(vector(x), vector(y)) }

func scale(x []float32, factor float32) { blas32.Scal(factor, vector(x)) }

func vector(x []float32) blas32.Vector { return blas32.Vector{N: len(x), Inc: 1, Data: x} }

func norm(x []float32) float32 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return float32(math.Sqrt(sum))
}

// principal returns the directions in which the rows are longest, as columns.
func principal(rows matrix, count int) matrix {
	n := rows.columns
	squares := tMultiply(rows, rows)
	symmetric := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			symmetric.SetSym(i, j, float64(squares.row(i)[j]))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(symmetric, true) {
		panic("model: the decomposition did not converge")
	}
	var directions mat.Dense
	eigen.VectorsTo(&directions)
	out := newMatrix(n, count)
	for i := range n {
		for j := range count {
			out.row(i)[j] = float32(directions.At(i, n-1-j)) // the largest are last
		}
	}
	return out
}
