//! A part of a table as a Parquet file: one row group, of the two types of columns that run folders have.
//!
//! The library can take Arrow's record batches itself, but what it needs for that takes longer to build than all of
//! this package: its own columns are enough for whole numbers and text.

use std::io::Write;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type as ArrowInt64;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use bytes::Bytes;
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnPath, Type, TypePtr};

use super::SCHEMA;

/// Writes tables of one schema, one after the other, as one file; gives back what it wrote to.
///
/// # Errors
/// When it cannot be encoded or written.
///
/// # Panics
/// When a column holds neither whole numbers of 64 bits nor text.
pub(crate) fn write_part<W: Write + Send>(
    into: W,
    schema: &Schema,
    tables: &[RecordBatch],
) -> Result<W, ParquetError> {
    let mut writer = SerializedFileWriter::new(into, columns_of(schema)?, Arc::new(properties(schema)))?;
    let mut rows = writer.next_row_group()?;
    for (place, field) in schema.fields().iter().enumerate() {
        let mut column = rows.next_column()?.expect("the file has the columns of the schema");
        for table in tables {
            write_column(&mut column, field, table.column(place))?;
        }
        column.close()?;
    }
    rows.close()?;
    writer.into_inner()
}

fn columns_of(schema: &Schema) -> Result<TypePtr, ParquetError> {
    let column = |field: &Arc<Field>| {
        let (physical, logical) = match field.data_type() {
            DataType::Int64 => (Physical::INT64, None),
            DataType::Utf8 => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            other => panic!("a run folder has no columns of {other}"),
        };
        let repetition = if field.is_nullable() { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let column = Type::primitive_type_builder(field.name(), physical);
        column.with_repetition(repetition).with_logical_type(logical).build().map(Arc::new)
    };
    let columns = schema.fields().iter().map(column).collect::<Result<_, _>>()?;
    Type::group_type_builder("schema").with_fields(columns).build().map(Arc::new)
}

/// Times and indices hardly ever repeat, so that a dictionary of them costs time and room; their differences are small.
fn properties(schema: &Schema) -> WriterProperties {
    let once = |name: &str| name == "index" || name.ends_with("_ps");
    let general = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_created_by(SCHEMA.to_owned());
    let columns = schema.fields().iter().map(|field| field.name().as_str()).filter(|name| once(name));
    let with_columns = columns.fold(general, |properties, name| {
        let column = ColumnPath::from(name);
        properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED)
    });
    with_columns.build()
}

fn write_column(
    column: &mut SerializedColumnWriter<'_>,
    field: &Field,
    values: &ArrayRef,
) -> Result<(), ParquetError> {
    // A row that has a value is at level 1; a column that may have none states this for each of its rows.
    let levels: Option<Vec<i16>> =
        field.is_nullable().then(|| (0..values.len()).map(|row| i16::from(values.is_valid(row))).collect());
    let levels = levels.as_deref();
    match field.data_type() {
        DataType::Int64 => {
            let values: Vec<i64> = values.as_primitive::<ArrowInt64>().iter().flatten().collect();
            column.typed::<Int64Type>().write_batch(&values, levels, None)?;
        }
        _ => column.typed::<ByteArrayType>().write_batch(&texts(values), levels, None).map(drop)?,
    }
    Ok(())
}

/// The texts of a column, which share one copy of its bytes.
fn texts(values: &ArrayRef) -> Vec<ByteArray> {
    let values = values.as_string::<i32>();
    let bytes = Bytes::copy_from_slice(values.value_data());
    let text = |place: usize| {
        let ends = &values.value_offsets()[place..place + 2];
        ByteArray::from(bytes.slice(ends[0] as usize..ends[1] as usize))
    };
    (0..values.len()).filter(|&place| values.is_valid(place)).map(text).collect()
}
